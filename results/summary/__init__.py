"""What the numbers of the tables come to, as records: no words and no pictures."""
