import LayerCatalog

/// Functions of Python's `math` and of NumPy on one number.
enum PythonMath {
  /// The value of a function such as `sqrt`; `nil` for unknown ones and outside of its domain.
  static func value(_ name: String, _ number: Double) -> Double? {
    let result: Double
    switch name {
    case "sqrt": result = number.squareRoot()
    case "log": result = number.logarithm
    case "log10": result = number.logarithm10
    case "exp": result = number.exponential
    case "square": result = number * number
    case "abs", "fabs": result = number.magnitude
    default: return nil
    }
    return result.isFinite ? result : nil
  }

  static let constants = ["pi": Double.pi, "e": 1.0.exponential, "inf": Double.infinity]
}
