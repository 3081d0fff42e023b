import Foundation

// Foundation's functions, under names that a test can read.

func cosine(_ angle: Double) -> Double { cos(angle) }
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
func logarithm(_ value: Double) -> Double { log(value) }
