"""From a diagnostic to tried fixes: `engine` tries and applies them, the other modules propose them, a family each."""
