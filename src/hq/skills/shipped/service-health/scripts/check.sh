# Whether addresses can be reached, services run and certificates are good. Exits 0 ok, 1 warning, 2 critical, 3 unknown.
set -f # what is named is taken as it is
days=${SKILL_WARN_DAYS:-21}
worst=0
checked=0
unsure=0

say() { # level text
    case $1 in
        0) word=OK ;;
        1) word=WARNING ;;
        2) word=CRITICAL ;;
        3) word=UNKNOWN ;;
    esac
    printf '%s %s\n' "$word" "$2"
    checked=$((checked + 1))
    if [ "$1" -eq 3 ]; then unsure=1; elif [ "$1" -gt "$worst" ]; then worst=$1; fi
}

for named in ${SKILL_REACH:-} ${SKILL_SERVICES:-} ${SKILL_CERTIFICATES:-}; do
    case $named in
        -* | *[!A-Za-z0-9._:/@-]*)
            echo "UNKNOWN $named is no address, service or file that could be looked at"
            exit 3
            ;;
    esac
done

connects() { # host port
    if command -v nc >/dev/null 2>&1; then
        timeout 10 nc -z "$1" "$2" >/dev/null 2>&1
    elif command -v bash >/dev/null 2>&1; then
        timeout 10 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2" >/dev/null 2>&1
    else
        return 9
    fi
}

for address in ${SKILL_REACH:-}; do
    connects "${address%:*}" "${address##*:}"
    case $? in
        0) say 0 "$address accepts connections" ;;
        9) say 3 "$address was not tried: neither nc nor bash is installed" ;;
        *) say 2 "$address cannot be reached" ;;
    esac
done

for service in ${SKILL_SERVICES:-}; do
    if [ -d /run/systemd/system ]; then
        if systemctl is-active --quiet "$service"; then say 0 "$service is active"; else say 2 "$service is not active"; fi
    elif command -v pgrep >/dev/null 2>&1; then
        if pgrep -x "$service" >/dev/null; then say 0 "$service runs"; else say 2 "$service does not run"; fi
    else
        say 3 "$service was not looked for: neither systemd nor pgrep is here"
    fi
done

look_at() { # address or file
    where=$1
    if ! command -v openssl >/dev/null 2>&1; then
        say 3 "the certificate of $where was not looked at: openssl is not installed"
        return
    fi
    if [ -f "$where" ]; then
        certificate=$(cat "$where")
    else
        certificate=$(timeout 15 openssl s_client -connect "$where" -servername "${where%:*}" </dev/null 2>/dev/null)
    fi
    until=$(printf '%s\n' "$certificate" | openssl x509 -noout -enddate 2>/dev/null | sed 's/notAfter=//')
    if [ -z "$until" ]; then
        say 2 "$where shows no certificate"
    elif ! printf '%s\n' "$certificate" | openssl x509 -noout -checkend 0 >/dev/null 2>&1; then
        say 2 "the certificate of $where has expired: $until"
    elif ! printf '%s\n' "$certificate" | openssl x509 -noout -checkend $((days * 86400)) >/dev/null 2>&1; then
        say 1 "the certificate of $where expires soon: $until"
    else
        say 0 "the certificate of $where is good until $until"
    fi
}

for where in ${SKILL_CERTIFICATES:-}; do look_at "$where"; done

# Nothing was named: what this machine says of itself.
if [ -z "${SKILL_REACH:-}${SKILL_SERVICES:-}${SKILL_CERTIFICATES:-}" ]; then
    if [ -d /run/systemd/system ]; then
        failed=$(systemctl list-units --state=failed --plain --no-legend 2>/dev/null | awk '{ print $1 }')
        for unit in $failed; do say 2 "$unit has failed"; done
        [ -z "$failed" ] && say 0 "no service has failed"
    fi
    ports=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 == "0A" { n = split($2, at, ":"); print at[n] }' | sort -u |
        while read -r hex; do printf '%d\n' "0x$hex"; done | sort -n | tr '\n' ' ' | sed 's/ $//; s/ /, /g')
    [ -n "$ports" ] && say 0 "programs listen on the ports $ports"
    set +f
    for file in /etc/letsencrypt/live/*/fullchain.pem; do
        [ -r "$file" ] && look_at "$file"
    done
fi

if [ "$checked" -eq 0 ]; then
    echo "UNKNOWN nothing to look at was named, and nothing was found: reach, services or certificates"
    exit 3
fi
[ "$worst" -eq 0 ] && [ "$unsure" -eq 1 ] && exit 3
exit "$worst"
