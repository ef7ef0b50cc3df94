"""The engine for any server with OpenAI's interface."""
