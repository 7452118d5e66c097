"""An organisation as a YAML document (seed 003 §1.2): read with line numbers, written always alike."""
