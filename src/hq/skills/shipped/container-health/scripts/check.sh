# Whether containers run, are healthy and stay up. Exits 0 ok, 1 warning, 2 critical, 3 unknown.
set -f
most=${SKILL_MAX_RESTARTS:-3}
ignore=" ${SKILL_IGNORE:-} "
worst=0
seen=0

for engine in docker podman none; do
    command -v "$engine" >/dev/null 2>&1 && break
done
if [ "$engine" = none ]; then
    echo "UNKNOWN neither docker nor podman is installed"
    exit 3
fi
if ! ids=$("$engine" ps --all --quiet --no-trunc 2>&1); then
    echo "UNKNOWN $engine cannot be asked: $(echo "$ids" | head -n 1)"
    exit 3
fi

bad() { # level text
    [ "$1" -eq 2 ] && echo "CRITICAL $2" || echo "WARNING $2"
    [ "$1" -gt "$worst" ] && worst=$1
}

form='{{.Name}} {{.State.Status}} {{.State.ExitCode}} {{.RestartCount}} {{if .State.Health}}{{.State.Health.Status}}{{else}}none{{end}} {{.HostConfig.RestartPolicy.Name}}'
for id in $ids; do
    facts=$("$engine" inspect --format "$form" "$id" 2>/dev/null) || continue
    set -- $facts
    name=${1#/} state=$2 code=$3 restarts=$4 health=$5 policy=${6:-no}
    case $ignore in *" $name "*) continue ;; esac
    seen=$((seen + 1))
    case $state in
        restarting | dead) bad 2 "$name is $state" ;;
        exited)
            if [ "$code" -ne 0 ]; then
                bad 2 "$name ended with $code"
            elif [ "$policy" = always ]; then
                bad 2 "$name should always run and has ended"
            fi
            ;;
        running)
            [ "$health" = unhealthy ] && bad 2 "$name is unhealthy"
            [ "$restarts" -gt "$most" ] && bad 1 "$name was restarted $restarts times"
            ;;
    esac
done

[ "$worst" -eq 0 ] && echo "OK $seen containers are well"
exit "$worst"
