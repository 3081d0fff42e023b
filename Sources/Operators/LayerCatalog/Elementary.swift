#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The C library's elementary functions; its module's name depends on the system.
extension Double {
  /// e to the power of this.
  package var exponential: Double { exp(self) }
  /// e to the power of this, minus 1; also accurate near 0.
  var exponentialMinusOne: Double { expm1(self) }
  /// The natural logarithm.
  package var logarithm: Double { log(self) }
  /// The natural logarithm of 1 + this; also accurate near 0.
  package var logarithmOfOnePlus: Double { log1p(self) }
  /// The sine.
  var sine: Double { sin(self) }
  /// The hyperbolic tangent.
  var hyperbolicTangent: Double { tanh(self) }
  /// 1 minus the error function; also accurate where that is nearly 1.
  var complementaryErrorFunction: Double { erfc(self) }
  /// The error function.
  var errorFunction: Double { erf(self) }
  /// 2 to the power of this.
  var exponential2: Double { exp2(self) }
  /// The logarithm to the base 2.
  var logarithm2: Double { log2(self) }
  /// The logarithm to the base 10.
  package var logarithm10: Double { log10(self) }
  /// The cosine.
  var cosine: Double { cos(self) }
  /// The tangent.
  var tangent: Double { tan(self) }
  /// The inverse of the sine.
  var arcSine: Double { asin(self) }
  /// The inverse of the cosine.
  var arcCosine: Double { acos(self) }
  /// The inverse of the tangent.
  var arcTangent: Double { atan(self) }
  /// The hyperbolic sine.
  var hyperbolicSine: Double { sinh(self) }
  /// The hyperbolic cosine.
  var hyperbolicCosine: Double { cosh(self) }
  /// The inverse of the hyperbolic sine.
  var inverseHyperbolicSine: Double { asinh(self) }
  /// The inverse of the hyperbolic cosine.
  var inverseHyperbolicCosine: Double { acosh(self) }
  /// The inverse of the hyperbolic tangent.
  var inverseHyperbolicTangent: Double { atanh(self) }
  /// This to the power of an exponent.
  package func raised(to exponent: Double) -> Double { pow(self, exponent) }
  /// The angle of the point (`x`, this).
  func arcTangent(over x: Double) -> Double { atan2(self, x) }
}
