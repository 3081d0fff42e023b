package import Bytes

/// ONNX's integer types of less than 8 bits, whose values are held in 8 bits here.
package enum ONNXNarrowType: Int, Hashable, Sendable, CaseIterable {
  // The numbers of ONNX.
  case uint4 = 21
  case int4 = 22
  case uint2 = 25
  case int2 = 26

  /// The number of bits of an element, 2 or 4.
  package var bits: Int { [.uint4, .int4].contains(self) ? 4 : 2 }

  /// Whether there are negative numbers, in two's complement.
  package var isSigned: Bool { [.int4, .int2].contains(self) }

  /// The type that holds the values: int8 or uint8.
  package var elementType: ElementType { isSigned ? .int8 : .uint8 }

  /// The values of the type.
  package var range: ClosedRange<Double> {
    let count = Double(1 << bits)
    return isSigned ? -count / 2...count / 2 - 1 : 0...count - 1
  }

  /// The type's name in ONNX, such as `int4`.
  package var name: String { "\(isSigned ? "int" : "uint")\(bits)" }

  /// The number of bytes that store a number of elements, the first of each byte in the lowest bits.
  package func byteCount(of count: Int) -> Int {
    count / (8 / bits) + (count % (8 / bits) == 0 ? 0 : 1)
  }

  /// Returns elements that are stored in fewer bits, one in each byte.
  package func unpacked(_ bytes: [UInt8], count: Int) -> [UInt8] {
    let (perByte, mask) = (8 / bits, UInt8(1 << bits) - 1)
    return (0..<count).map { index in
      let number = bytes[index / perByte] >> UInt8(index % perByte * bits) & mask
      return isSigned && number > mask / 2 ? number | ~mask : number
    }
  }
}

extension ElementType {
  /// The name of a type by its number in ONNX.
  package static func onnxName(_ number: Int) -> String {
    let names = [
      8: "strings", 14: "complex64", 15: "complex128", 17: "float8e4m3fn", 18: "float8e4m3fnuz",
      19: "float8e5m2", 20: "float8e5m2fnuz", 23: "float4e2m1", 24: "float8e8m0",
      27: "float6e2m3", 28: "float6e3m2",
    ]
    return ElementType(onnxNumber: number)?.rawValue ?? ONNXNarrowType(rawValue: number)?.name
      ?? names[number] ?? "a type with the number \(number)"
  }
}
