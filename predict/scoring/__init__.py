"""How good forecasts are on answers or settings that were hidden from them."""
