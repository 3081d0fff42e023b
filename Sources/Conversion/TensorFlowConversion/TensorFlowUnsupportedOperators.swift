import Bytes
import TensorFlowFormat

/// The operators of a program that cannot be read, and what the user can do about them.
struct TensorFlowUnsupportedOperators {
  /// The number of operations of each kind that cannot be read.
  private var counts: [String: Int] = [:]

  /// - Parameter inputs: The names of the operations that are inputs of the model.
  init(_ operations: [TensorFlowOperation], inputs: Set<String>) {
    for operation in operations where !inputs.contains(operation.name) {
      if TensorFlowOperators.builder(operation.kind) == nil {
        counts[operation.kind, default: 0] += 1
      }
    }
  }

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all operators that cannot be read.
  func check() throws(WeighbridgeError) {
    guard !counts.isEmpty else { return }
    let list = counts.sorted { $0.key < $1.key }.map { kind, count in
      count == 1 ? kind : "\(kind) (\(count) times)"
    }
    let count = counts.count == 1 ? "an operator" : "\(counts.count) operators"
    throw .unsupported(
      (["uses \(count) that cannot be read: \(list.joined(separator: ", "))"] + explanations)
        .joined(separator: ". "))
  }

  private static let groups: [(kinds: Set<String>, explanation: String)] = [
    (
      [
        "Case", "Enter", "Exit", "If", "LoopCond", "Merge", "NextIteration", "StatelessCase",
        "StatelessIf", "StatelessWhile", "Switch", "TensorListFromTensor", "TensorListReserve",
        "TensorListStack", "While",
      ],
      "Loops and branches are not read: a recurrent layer is, from a file that Keras wrote (.keras, "
        + ".h5 or a SavedModel of model.save)"
    ),
    (
      ["HashTableV2", "LookupTableFindV2", "MutableHashTableV2"],
      "Tables look up strings or numbers, which is done before a model is run here"
    ),
    (
      ["Placeholder"],
      "A Placeholder is an input that the signature does not name"
    ),
  ]

  private var explanations: [String] {
    Self.groups.filter { !$0.kinds.isDisjoint(with: counts.keys) }.map(\.explanation)
  }
}
