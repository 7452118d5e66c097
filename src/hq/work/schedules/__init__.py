"""What starts by the clock: schedules, in words or as cron."""
