import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Several tensors made one.
enum ONNXMerging {
  static let rows: [ONNXRow] = [
    ONNXRow(Add.self) { (_, draft) throws(WeighbridgeError) in
      draft.chain("Add", draft.allInputs())
    },
    ONNXRow(Subtract.self, is: "Sub"),
    ONNXRow(Multiply.self) { (_, draft) throws(WeighbridgeError) in
      draft.chain("Mul", draft.allInputs())
    },
    ONNXRow(Average.self) { (_, draft) throws(WeighbridgeError) in
      let count = draft.operands.count
      return draft.add(
        "Div", [draft.chain("Add", draft.allInputs()), draft.number(Double(count))])
    },
    ONNXRow(Maximum.self, is: "Max"),
    ONNXRow(Minimum.self, is: "Min"),
    ONNXRow(Concatenate.self) { (operation, draft) throws(WeighbridgeError) in
      draft.concatenate(draft.allInputs(), axis: operation.axis)
    },
    ONNXRow(ExpandDims.self) { (operation, draft) throws(WeighbridgeError) in
      draft.unsqueeze(draft.input(), operation.axes)
    },
    ONNXRow(Dot.self) { (operation, draft) throws(WeighbridgeError) in
      let axes = [operation.firstAxis, operation.secondAxis]
      let factors = try [0, 1].map { (position) throws(WeighbridgeError) in
        let input = draft.input(position)
        guard operation.normalizes else { return input }
        return try draft.apply(
          UnitNormalization(axes: [axes[position]]), to: input, draft.type(position))
      }
      // a is the batch, b the sum.
      let ranks = [draft.type(0).rank, draft.type(1).rank]
      var free = (UInt8(ascii: "c")...UInt8(ascii: "z")).map { Character(UnicodeScalar($0)) }[...]
      let letters = [0, 1].map { position in
        (0..<ranks[position]).map { axis in
          axis == 0 ? "a" : axis == axes[position] ? "b" : free.removeFirst()
        } as [Character]
      }
      let rest = letters.flatMap { $0.dropFirst().filter { $0 != "b" } }
      let product = draft.einsum(factors, letters, to: ["a"] + rest)
      return rest.isEmpty ? draft.unsqueeze(product, [1]) : product
    },
  ]
}

extension ONNXDraft {
  /// The sums of products over all axes that the result lacks.
  mutating func einsum(
    _ inputs: [String], _ letters: [[Character]], to result: [Character]
  ) -> String {
    let equation = letters.map { String($0) }.joined(separator: ",") + "->" + String(result)
    return add("Einsum", inputs, ["equation": .text(equation)])
  }
}
