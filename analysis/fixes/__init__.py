"""From a diagnostic to tried fixes: `repair` tries and applies them, the other modules propose them, a family each."""
