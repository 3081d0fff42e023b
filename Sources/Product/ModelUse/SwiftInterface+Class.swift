import GraphIR

/// The class of a typed interface.
extension SwiftInterface {
  private var error: String { "throws(Weighbridge.WeighbridgeError)" }
  private var input: String { "\(className)Input" }
  private var output: String { "\(className)Output" }

  var classSource: String {
    let members = [properties, initializers, predictions, conveniences, asynchronous].flatMap { $0 }
    return """
      \(Self.comment(documentation))public final class \(className): Sendable {
      \(members.joined(separator: "\n\n"))
      }
      """
  }

  /// The model's own description.
  private var documentation: [String] {
    var lines = (description.summary ?? "A model.").split(whereSeparator: \.isNewline)
      .map(String.init)
    let facts = [
      ("Author", description.author), ("License", description.license?.text),
      ("Version", description.version),
    ].compactMap { name, fact in fact.map { "- \(name): \($0)" } }
    for fact in facts {
      if fact == facts.first { lines.append("") }
      lines.append(fact.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
    return lines
  }

  private var properties: [String] {
    [
      "  private let interface: Weighbridge.ModelInterface",
      """
        /// The model.
        public var model: Weighbridge.Model { interface.model }
      """,
    ]
  }

  private var initializers: [String] {
    let expected = { (features: [SwiftFeature]) in
      features.isEmpty ? "[:]" : "[\(features.map(\.expectation).joined(separator: ", "))]"
    }
    let fromFile = """
        /// Reads the model.
        ///
        /// - Throws: When the file cannot be read, or holds a model with other inputs and outputs.
        public init(
          contentsOf path: String, options: Weighbridge.RunOptions = Weighbridge.RunOptions()
        ) \(error) {
          interface = try Weighbridge.ModelInterface(
            contentsOf: path, inputs: \(expected(inputs)),
            outputs: \(expected(outputs)), options: options)
        }
      """
    guard let bundled else { return [fromFile] }
    let fromBundle = """
        /// Reads the model from the bundle of this module.
        public convenience init() \(error) {
          let file = Bundle.module.path(forResource: \(bundled.swiftLiteral), ofType: nil)
          try self.init(contentsOf: file ?? \(bundled.swiftLiteral))
        }
      """
    return [fromFile, fromBundle]
  }

  private var predictions: [String] {
    let values = inputs.map(\.value).joined(separator: ", ")
    let results =
      results.map { "\($0.property): result.\($0.source)" }
      + outputs.map { "\($0.label): try result.tensor(\($0.name.swiftLiteral))" }
    return [
      """
        /// Returns the model's output for an input.
        public func prediction(input: \(input)) \(error) -> \(output) {
          let result = try interface.prediction([\(values)])
          return \(output)(
            \(results.joined(separator: ",\n      ")))
        }
      """,
      """
        /// Returns the model's outputs for several inputs, in the same order.
        public func predictions(inputs: [\(input)]) \(error) -> [\(output)] {
          var outputs: [\(output)] = []
          for input in inputs { outputs.append(try prediction(input: input)) }
          return outputs
        }
      """,
    ]
  }

  private var parameters: String {
    inputs.map(\.parameter).joined(separator: ", ")
  }
  private var arguments: String {
    inputs.map { "\($0.label): \($0.property)" }.joined(separator: ", ")
  }

  private var conveniences: [String] {
    guard !inputs.isEmpty else { return [] }
    return [
      """
        /// Returns the model's output for an input given as separate values.
        public func prediction(\(parameters)) \(error) -> \(output) {
          try prediction(input: \(input)(\(arguments)))
        }
      """
    ]
  }

  /// The same methods on other threads, while the caller waits without blocking its own.
  private var asynchronous: [String] {
    let forms = [
      ("prediction", "input: \(input)", "input: input", output),
      ("predictions", "inputs: [\(input)]", "inputs: inputs", "[\(output)]"),
    ]
    let parts =
      inputs.isEmpty
      ? [] : [("prediction", parameters, "input: \(input)(\(arguments))", output)]
    return (forms + parts).map { name, parameters, arguments, type in
      """
        /// Computes the same on another thread.
        public func \(name)(\(parameters)) async throws -> \(type) {
          try await interface.onAnotherThread { () throws -> \(type) in
            try self.\(name)(\(arguments))
          }
        }
      """
    }
  }
}
