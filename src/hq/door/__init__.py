"""The one way in: identify → authorise → access → gate → once → do → record → announce. Knows no room by name."""
