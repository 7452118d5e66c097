"""The one way in: identify → authorise → gate → once → do → record → announce. Knows no room by name."""
