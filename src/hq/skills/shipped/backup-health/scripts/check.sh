# How old the newest backup is. Exits 0 ok, 1 warning, 2 critical, 3 unknown.
tool=${SKILL_TOOL:-auto}
path=${SKILL_PATH:-}
most=$((${SKILL_MAX_AGE_HOURS:-26} * 3600))
now=$(date +%s)

unknown() {
    echo "UNKNOWN $1"
    exit 3
}

seconds() { # a time such as 2026-11-15T03:00:12.5Z
    date -d "$1" +%s 2>/dev/null || unknown "the time $1 cannot be read here"
}

# The newest time in what a program printed as JSON: such times sort as text, as long as they share a time zone.
newest() { grep -Eo "\"$1\": *\"[^\"]+\"" | sed 's/.*: *"//; s/"$//' | sort | tail -n 1; }

kopia_newest() { kopia snapshot list --all --json 2>/dev/null | newest endTime; }
restic_newest() { restic ${path:+-r "$path"} snapshots --json --latest 1 2>/dev/null | newest time; }
borg_newest() { borg list --json --last 1 ${path:+"$path"} 2>/dev/null | newest time; }

case $path in -*) unknown "$path is no path" ;; esac

if [ "$tool" = auto ]; then
    tool=directory
    for each in kopia restic borg; do
        if command -v "$each" >/dev/null 2>&1; then
            tool=$each
            break
        fi
    done
    [ "$tool" = directory ] && [ -z "$path" ] && unknown "none of kopia, restic and borg is installed, and no path was given"
fi

case $tool in
    kopia | restic | borg)
        command -v "$tool" >/dev/null 2>&1 || unknown "$tool is not installed"
        found=$("${tool}_newest")
        [ -n "$found" ] || unknown "$tool shows no snapshot; can its repository be reached, and is its password set?"
        age=$((now - $(seconds "$found"))) || exit 3
        what="$tool snapshot of $found"
        ;;
    directory)
        [ -d "$path" ] || unknown "there is no directory ${path:-(no path was given)}"
        # Halving the time until it is known to the quarter of an hour: POSIX find knows no printing of times.
        file=$(find "$path" -type f -mmin -$((most / 60 + 1)) 2>/dev/null | head -n 1)
        if [ -z "$file" ]; then
            any=$(find "$path" -type f 2>/dev/null | head -n 1)
            [ -n "$any" ] || { echo "CRITICAL $path holds no backup at all"; exit 2; }
            echo "CRITICAL the newest backup in $path is older than $((most / 3600)) hours"
            exit 2
        fi
        low=0 high=$((most / 60 + 1))
        while [ $((high - low)) -gt 15 ]; do
            middle=$(((low + high) / 2))
            if [ -n "$(find "$path" -type f -mmin -"$middle" 2>/dev/null | head -n 1)" ]; then high=$middle; else low=$middle; fi
        done
        age=$((high * 60))
        what="newest file in $path"
        ;;
    *) unknown "tool is auto, kopia, restic, borg or directory, not $tool" ;;
esac

hours=$((age / 3600))
if [ "$age" -gt "$most" ]; then
    echo "CRITICAL $what is $hours hours old; it may be $((most / 3600))"
    exit 2
elif [ "$age" -gt $((most * 3 / 4)) ]; then
    echo "WARNING $what is $hours hours old; the next one is due soon"
    exit 1
fi
echo "OK $what is $hours hours old"
