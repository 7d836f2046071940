package history

// ownedByUs is always true: ownership on Windows goes by groups too, and nothing of the repository is run here.
func ownedByUs(string) bool { return true }
