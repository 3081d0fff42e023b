import Bytes
import JSON
import KerasFormat
import LayerCatalog

/// Converts what Keras 1 wrote to what Keras 2 writes for the same layer: class, settings, and the
/// order and axes of the weights.
///
/// A layer that Keras 2 does not have gets a class named `X (Keras 1)`. Custom classes stay as they
/// are.
struct Keras1Dialect: Sendable {
  let writer: KerasProducer
  /// The axis order of layers whose settings omit it, and whether it was found in the settings of
  /// other layers; `nil` where those contradict each other.
  let ordering: (name: String, isFound: Bool)?

  /// - Parameter model: The whole model, whose layers may state what others omit.
  /// - Returns: `nil` when another version of Keras wrote it.
  init?(_ writer: KerasProducer, _ model: KerasModelRecord) {
    guard writer.version.major == 1 else { return nil }
    self.writer = writer
    var orderings: Set<String> = []
    for object in model.layers.flatMap(\.config.nestedObjects) {
      if let name = object["dim_ordering"]?.string { orderings.insert(name) }
    }
    if orderings.count > 1 {
      ordering = nil
    } else {
      // The default of keras.json: `th` up to Keras 1.0.8, and `tf` from 1.1 on.
      let fallback = writer.version < KerasVersion(1, 1) ? "th" : "tf"
      ordering = (orderings.first ?? fallback, !orderings.isEmpty)
    }
  }

  /// Returns a layer as Keras 2 writes it, and the decisions made.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for settings that Keras 2 cannot express.
  func form(
    of record: KerasLayerRecord
  ) throws(WeighbridgeError) -> (record: KerasLayerRecord, decisions: [String]) {
    guard let entry = try Keras1Class.entry(record, writer) else { return (record, []) }
    var settings = Keras1Settings(record.config)
    try settings.translate(entry, self)
    for key in Keras1Class.wrapped {
      guard let inner = try record.inner(key), settings.config[key] != nil else { continue }
      let form = try form(of: inner)
      settings.decisions += form.decisions
      settings.config[key] = .object([
        "class_name": .string(form.record.className), "config": .object(form.record.config),
      ])
    }
    let form = KerasLayerRecord(
      index: record.index, name: record.name, className: entry.className,
      registeredName: record.registeredName, config: settings.config, calls: record.calls)
    return (form, settings.decisions)
  }
}
