"""The subcommands that run many texts and put methods, options or engines side by side."""
