"""The subcommands that run many texts and put methods, drafters, options or engines side by side."""
