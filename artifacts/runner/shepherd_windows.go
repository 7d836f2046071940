package runner

// Shepherd is not used on this system: nobody leaves a job object.
func Shepherd([]string) int { return 2 }
