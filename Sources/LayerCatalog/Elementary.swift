#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The C library's elementary functions; its module has another name on each system.
extension Double {
  /// e to the power of this.
  var exponential: Double { exp(self) }
  /// e to the power of this, minus 1; accurate also near 0.
  var exponentialMinusOne: Double { expm1(self) }
  /// The natural logarithm.
  var logarithm: Double { log(self) }
  /// The natural logarithm of 1 + this; accurate also near 0.
  var logarithmOfOnePlus: Double { log1p(self) }
  /// The sine.
  var sine: Double { sin(self) }
  /// The hyperbolic tangent.
  var hyperbolicTangent: Double { tanh(self) }
  /// 1 minus the error function; accurate also where that is nearly 1.
  var complementaryErrorFunction: Double { erfc(self) }
}
