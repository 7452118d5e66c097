# How much memory is left, how busy the machine is and since when it runs. Exits 0 ok, 1 warning, 2 critical, 3 unknown.
warn=${SKILL_WARN_PERCENT:-90}
critical=${SKILL_CRITICAL_PERCENT:-97}
most=${SKILL_WARN_LOAD:-4}
worst=0

say() { # level text
    case $1 in
        0) word=OK ;;
        1) word=WARNING ;;
        2) word=CRITICAL ;;
    esac
    printf '%s %s\n' "$word" "$2"
    [ "$1" -gt "$worst" ] && worst=$1
}

if [ ! -r /proc/meminfo ] || [ ! -r /proc/loadavg ]; then
    echo "UNKNOWN this machine does not tell: there is no /proc/meminfo"
    exit 3
fi

set -- $(awk '/^MemTotal:/ { total = $2 } /^MemAvailable:/ { left = $2 } /^SwapTotal:/ { swap = $2 } /^SwapFree:/ { free = $2 }
    END { printf "%d %.1f %.1f %.1f", (total - left) * 100 / (total ? total : 1), left / 1048576, total / 1048576, (swap - free) / 1048576 }' /proc/meminfo)
level=0
[ "$1" -ge "$warn" ] && level=1
[ "$1" -ge "$critical" ] && level=2
say "$level" "memory $1% used, $2 of $3 GB left"
[ "$4" != 0.0 ] && say 0 "swap $4 GB used"

processors=$(grep -c '^processor' /proc/cpuinfo 2>/dev/null)
[ "${processors:-0}" -gt 0 ] || processors=1
read -r one five fifteen rest </proc/loadavg
level=$(awk -v load="$five" -v each="$most" -v many="$processors" 'BEGIN { print (load > each * many) ? 1 : 0 }')
# More to do than processors is no fault yet, and no machine at rest either.
busy=$(awk -v load="$five" -v many="$processors" 'BEGIN { if (load > many) printf "busy: " }')
say "$level" "${busy}load $one, $five, $fifteen (1, 5, 15 minutes) on $processors processors"

say 0 "up $(awk '{ days = int($1 / 86400); hours = int($1 % 86400 / 3600); minutes = int($1 % 3600 / 60)
    if (days) printf "%d days ", days; if (days || hours) printf "%d hours ", hours; printf "%d minutes", minutes }' /proc/uptime)"
exit "$worst"
