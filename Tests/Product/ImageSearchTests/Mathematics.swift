import Foundation

// Foundation's functions under readable names.

func cosine(_ angle: Double) -> Double { cos(angle) }
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
func logarithm(_ value: Double) -> Double { log(value) }
