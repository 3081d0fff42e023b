import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that merge several tensors.
enum ONNXMerging: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(Add.self, chain: "Add"), ONNXRow(Multiply.self, chain: "Mul"),
    ONNXRow(Subtract.self, is: "Sub"), ONNXRow(Maximum.self, is: "Max"),
    ONNXRow(Minimum.self, is: "Min"),
    ONNXRow(Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
      builder.concatenate(builder.allInputs(), axis: operation.axis)
    },
    ONNXRow(ExpandDims.self) { (operation, builder) throws(WeighbridgeError) in
      builder.unsqueeze(builder.input(), operation.axes)
    },
    ONNXRow(Dot.self) { (operation, builder) throws(WeighbridgeError) in
      let axes = [operation.firstAxis, operation.secondAxis]
      let factors = try [0, 1].map { (position) throws(WeighbridgeError) in
        let input = builder.input(position)
        guard operation.normalizes else { return input }
        return try builder.apply(
          operation.normalization(along: axes[position]), to: input, builder.type(position))
      }
      // The letter a is the batch axis, and b the contracted one.
      let ranks = [builder.type(0).rank, builder.type(1).rank]
      let ascii = UInt8(ascii: "c")...UInt8(ascii: "z")
      var unusedLetters = ascii.map { Character(UnicodeScalar($0)) }[...]
      let letters = [0, 1].map { position in
        (0..<ranks[position]).map { axis in
          axis == 0 ? "a" : axis == axes[position] ? "b" : unusedLetters.removeFirst()
        } as [Character]
      }
      let remaining = letters.flatMap { $0.dropFirst().filter { $0 != "b" } }
      let product = builder.einsum(factors, letters, to: ["a"] + remaining)
      return remaining.isEmpty ? builder.unsqueeze(product, [1]) : product
    },
  ]
}

extension ONNXGraphBuilder {
  /// Adds an `Einsum`, which sums products over all axes that the result lacks.
  mutating func einsum(
    _ inputs: [String], _ letters: [[Character]], to result: [Character]
  ) -> String {
    let equation = letters.map { String($0) }.joined(separator: ",") + "->" + String(result)
    return add("Einsum", inputs, ["equation": .string(equation)])
  }
}
