"""Starts SGLang servers, on a GPU or a CPU, alone or several behind a gateway."""
