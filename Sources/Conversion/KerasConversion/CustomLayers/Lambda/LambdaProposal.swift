import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// A proposed mapping for a `Lambda` whose compiled function is understood. It is shown to the user
/// and never applied automatically.
struct LambdaProposal {
  /// The mapping, as written under the layer's name.
  let mapping: JSONValue
  /// What the user needs to know to check it.
  let notes: [String]

  /// Returns the proposal for a layer, or why there is none; `nil` for a layer without compiled
  /// code.
  ///
  /// - Parameters:
  ///   - record: The layer as Keras 2 or later would write it.
  ///   - inputs: The layer's input types, where they are known.
  ///   - version: The version of Keras that wrote the file, where it is known.
  static func reading(
    _ record: KerasLayerRecord, inputs: [TensorType]?, version: KerasVersion?
  ) -> Result<LambdaProposal, PythonRefusal>? {
    guard let stored = try? KerasLambdaCode(of: record) else { return nil }
    do throws(PythonRefusal) {
      let context = try LambdaContext(stored, record, inputs: inputs, version: version)
      var translation = LambdaTranslation(context)
      var members = try translation.mapping(of: stored.code.reading())
      if let given = record.config["arguments"]?.object, !given.keys.isEmpty {
        members["ignore"] = ["arguments"]
      }
      return .success(LambdaProposal(mapping: shortest(members), notes: translation.notes))
    } catch { return .failure(error) }
  }

  /// A mapping without members beside its steps is the list of the steps, or the only one.
  private static func shortest(_ members: JSONObject) -> JSONValue {
    guard members.keys == ["steps"], let steps = members["steps"]?.array else {
      return .object(members)
    }
    return steps.count == 1 ? steps[0] : .array(steps)
  }

  private init(mapping: JSONValue, notes: [String]) {
    self.mapping = mapping
    self.notes = notes
  }

  /// The proposal for a file that states another shape than that of the function's output.
  var overruling: LambdaProposal {
    var members = mapping.object ?? [:]
    if members["steps"] == nil {
      members = ["steps": .array(mapping.array ?? [mapping])]
    }
    members["overrule_shape"] = true
    return LambdaProposal(
      mapping: .object(members),
      notes: notes + ["the file states another shape of what it makes, which is overruled"])
  }

  /// The proposal as an entry for a layer.
  func entry(_ name: String) throws(WeighbridgeError) -> CustomLayers.Entry {
    let mapping = try CustomMapping(parsing: mapping, place: name)
    return CustomLayers.Entry(place: name, pattern: NamePattern(name), mapping: mapping)
  }
}
