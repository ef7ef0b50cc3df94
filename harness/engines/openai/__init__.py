"""The engine for servers with OpenAI's interface."""
