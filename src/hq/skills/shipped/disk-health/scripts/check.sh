# How full the disks are, in bytes and in files, and what SMART says. Exits 0 ok, 1 warning, 2 critical, 3 unknown.
warn=${SKILL_WARN_PERCENT:-80}
critical=${SKILL_CRITICAL_PERCENT:-90}
worst=0
checked=0

say() { # level text
    case $1 in
        0) word=OK ;;
        1) word=WARNING ;;
        2) word=CRITICAL ;;
    esac
    printf '%s %s\n' "$word" "$2"
    [ "$1" -gt "$worst" ] && worst=$1
    checked=$((checked + 1))
}

level() { # percent
    if [ "$1" -ge "$critical" ]; then echo 2; elif [ "$1" -ge "$warn" ]; then echo 1; else echo 0; fi
}

# Only what lies on a device or across a network: memory and the kernel's own are never a disk that fills up.
measure() { # word, df's options
    word=$1
    shift
    while read -r percent mount; do
        [ -n "$percent" ] && say "$(level "$percent")" "$mount $percent% of $word used"
    done <<LIST
$(df -P "$@" 2>/dev/null | awk 'NR > 1 && $1 ~ /\// && $5 ~ /^[0-9]+%$/ { used = $5; sub("%", "", used); $1=$2=$3=$4=$5=""; sub(/^ +/, ""); print used, $0 }')
LIST
}

measure space -k
measure files -i

if ! command -v smartctl >/dev/null 2>&1; then
    echo "NOTE SMART was not asked: smartctl is not installed"
elif [ "$(id -u)" -ne 0 ]; then
    echo "NOTE SMART was not asked: that needs root"
else
    for device in $(smartctl --scan 2>/dev/null | awk '{ print $1 }'); do
        if smartctl -H "$device" 2>/dev/null | grep -Eq 'PASSED|: OK'; then
            say 0 "$device says it is healthy"
        elif smartctl -H "$device" 2>/dev/null | grep -q 'FAILED'; then
            say 2 "$device says it is failing"
        fi
    done
fi

if [ "$checked" -eq 0 ]; then
    echo "UNKNOWN no disk could be measured"
    exit 3
fi
exit "$worst"
