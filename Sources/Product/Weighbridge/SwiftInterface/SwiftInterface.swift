import GraphIR

/// The source of a typed interface.
struct SwiftInterface {
  let className: String
  let inputs, outputs: [SwiftFeature]
  let description: ModelDescription
  /// The properties that are computed from the outputs.
  let results: [Result]
  /// The name of the model's file in the target's bundle.
  let bundled: String?

  /// A property of the output struct that is computed from the outputs.
  struct Result {
    let property: String
    let type: String
    let documentation: [String]
    /// The property of a prediction that contains it.
    let source: String
  }

  init(_ model: Model, named name: String, bundled: String?) {
    className = SwiftName.type(name)
    description = model.description
    self.bundled = bundled
    var usedNames = UniqueNames()
    inputs = model.inputs.map { port in
      let feature = model.description.inputs.first { $0.name == port.name }
      return SwiftFeature(port, feature, isInput: true, usedNames: &usedNames)
    }
    let results = Self.results(model)
    usedNames = UniqueNames(results.map(\.property))
    outputs = model.outputs.map { port in
      let feature = model.description.outputs.first { $0.name == port.name }
      return SwiftFeature(port, feature, isInput: false, usedNames: &usedNames)
    }
    self.results = results
  }

  private static func results(_ model: Model) -> [Result] {
    if (try? Detector(model)) != nil {
      return [
        Result(
          property: "detections", type: "[Weighbridge.Detection]",
          documentation: ["The objects that were found, the most confident first."],
          source: "detections")
      ]
    }
    guard !model.description.labels.isEmpty, (try? ClassScores(model)) != nil else { return [] }
    return [
      Result(
        property: "classLabel", type: "String",
        documentation: ["The most probable class."], source: "classLabel"),
      Result(
        property: "classLabelProbs", type: "[String: Double]",
        documentation: ["The probability of each class, 0...1."], source: "classLabelProbs"),
    ]
  }

  /// The source.
  var source: String {
    [head, inputStruct, outputStruct, classSource].joined(separator: "\n\n") + "\n"
  }

  private var head: String {
    var lines = [
      "// Made by `weighbridge swift` \(weighbridgeVersion) of a model; changes are lost when it is",
      "// made again.", "",
    ]
    if bundled != nil { lines.append("import Foundation") }
    return (lines + ["public import Weighbridge"]).joined(separator: "\n")
  }

  private var inputStruct: String {
    Self.structSource(
      "\(className)Input", documentation: "What ``\(className)`` takes.",
      inputs.map { ($0.property, $0.type, $0.documentation) })
  }

  private var outputStruct: String {
    Self.structSource(
      "\(className)Output", documentation: "What ``\(className)`` gives.",
      results.map { ($0.property, $0.type, $0.documentation) }
        + outputs.map { ($0.property, $0.type, $0.documentation) })
  }

  private static func structSource(
    _ name: String, documentation: String,
    _ properties: [(name: String, type: String, documentation: [String])]
  ) -> String {
    let fields = properties.map { property in
      comment(property.documentation, indent: "  ")
        + "  public var \(property.name): \(property.type)"
    }
    let parameters = properties.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    let assignments = properties.map { "    self.\($0.name) = \($0.name)" }
    return """
      /// \(documentation)
      public struct \(name): Sendable {
      \(fields.joined(separator: "\n\n"))

        /// Creates a value.
        public init(\(parameters)) {
      \(assignments.joined(separator: "\n"))
        }
      }
      """
  }

  /// Returns the lines as a documentation comment.
  static func comment(_ lines: [String], indent: String = "") -> String {
    lines.map { $0.isEmpty ? "\(indent)///\n" : "\(indent)/// \($0)\n" }.joined()
  }
}

extension Model {
  /// Returns the source of a typed Swift interface of the model: a class with a prediction method,
  /// and structs for its inputs and outputs, with the model's own names and descriptions.
  ///
  /// For a detector or a classifier, the output struct also has the detections or classes. The code
  /// imports the library Weighbridge; ``ModelInterface`` does the work.
  ///
  /// - Parameters:
  ///   - name: The class's name; characters that are not allowed in an identifier are left out.
  ///   - bundled: The name of the model's file in the target's bundle, if it is there.
  public func swiftInterface(named name: String, bundled: String? = nil) -> String {
    SwiftInterface(self, named: name, bundled: bundled).source
  }
}
