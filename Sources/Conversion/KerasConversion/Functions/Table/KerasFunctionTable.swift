import Bytes
import GraphIR
import KerasFormat

/// The functions of Keras 3 and TensorFlow that become nodes, by name.
enum KerasFunctionTable {
  /// Equivalent functions of both frameworks.
  struct Entry: Sendable {
    /// The classes of Keras 3's operations.
    let operations: [String]
    /// TensorFlow's names, without `tf.`.
    let tensorFlow: [String]
    /// Adds the nodes.
    let build: KerasFunction.Build

    init(
      _ operations: [String] = [], tf tensorFlow: [String] = [],
      _ build: @escaping KerasFunction.Build
    ) {
      self.operations = operations
      self.tensorFlow = tensorFlow
      self.build = build
    }

    var names: [KerasFunctionName] {
      operations.map(KerasFunctionName.operation) + tensorFlow.map(KerasFunctionName.tensorFlow)
    }
  }

  /// The names of one of several functions that share a builder. The exporter writes the first
  /// name.
  struct Names<Function: Sendable>: Sendable {
    let function: Function
    let operations: [String]
    let tensorFlow: [String]
    /// The module of Keras 3's operation; `nil` for a function that is never exported.
    let module: String?

    init(
      _ operations: [String] = [], tf tensorFlow: [String] = [], _ function: Function,
      module: String? = "numpy"
    ) {
      self.function = function
      self.operations = operations
      self.tensorFlow = tensorFlow
      self.module = module
    }
  }

  /// The entries of functions that share a builder.
  static func entries<Function>(
    _ all: [Names<Function>],
    _ build:
      @escaping @Sendable (inout KerasFunction, Function) throws(WeighbridgeError) -> [ValueID]
  ) -> [Entry] {
    all.map { names in
      Entry(names.operations, tf: names.tensorFlow) { (call) throws(WeighbridgeError) in
        try build(&call, names.function)
      }
    }
  }

  /// All functions, family by family.
  static let entries: [Entry] =
    arithmetic + unary + logic + activations + reductions + shapes + structure + indexing + matrices
    + images + pooling + convolutions + summations + creation + normalizations + attentions
    + elements + statistics + quantiles + withoutNaN + products + patches + colors + selections
    + losses + backend + older + signals

  /// The builders by name. (A test finds duplicate names.)
  static let builders: [KerasFunctionName: KerasFunction.Build] = Dictionary(
    entries.flatMap { entry in entry.names.map { ($0, entry.build) } },
    uniquingKeysWith: { first, _ in first })

  /// The builder of a function. TensorFlow's functions under the names of older versions have the
  /// same arguments, as far as these are read.
  static func builder(_ name: KerasFunctionName) -> KerasFunction.Build? {
    if let build = builders[name] { return build }
    guard case .tensorFlow(let text) = name else { return nil }
    let plain = unversioned(text)
    let current = olderNames[plain] ?? KerasBackendFunctions.tensorFlow(plain) ?? plain
    return builders[.tensorFlow(current)]
  }

  /// TensorFlow's name of a function without the prefix of an older version.
  static func unversioned(_ name: String) -> String {
    for prefix in ["compat.v1.", "compat.v2."] where name.hasPrefix(prefix) {
      return String(name.dropFirst(prefix.count))
    }
    return name
  }
}
