package import Bytes
package import ProtobufWire

/// The description of a Core ML file or of a member of a pipeline, for any kind of model. Fields
/// that later specifications have added are skipped.
package struct CoreMLOutline: Sendable {
  /// An input, an output or a state.
  package struct Feature: Sendable {
    package let name: String
    package let summary: String?
    /// The type; `nil` for an unknown one.
    package let type: CoreMLFeatureType?
  }

  /// A function of an ML Program.
  package struct Function: Sendable {
    package let name: String
    /// The inputs. If the description lists no functions, the inputs, outputs and states are empty,
    /// and the features are those of the model.
    package var inputs: [Feature] = []
    package var outputs: [Feature] = []
    package var states: [Feature] = []
    /// The number of operations of each type, without constants; `nil` where they cannot be
    /// counted.
    package var operations: [String: Int]?
  }

  package let specificationVersion: Int
  package let isUpdatable: Bool
  /// The kind of the model: the name of a member of `Model.Type` in `Schemas/coreml.proto`.
  package let kind: String
  package let inputs: [Feature]
  package let outputs: [Feature]
  package let states: [Feature]
  package let predictedFeature: String?
  package let predictedProbabilities: String?
  package let metadata: CoreMLMetadata
  /// The functions of an ML Program.
  package private(set) var functions: [Function] = []
  /// The members of a pipeline.
  package private(set) var members: [CoreMLOutline] = []

  /// Reads the description of a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  /// - Complexity: O(n) in the size of the file without the model itself; for an ML Program,
  ///   without its weights.
  package init(
    _ bytes: RawSpan, limits: ProtobufLimits = ProtobufLimits()
  ) throws(WeighbridgeError) {
    guard let descriptor = CoreMLSchema.model else {
      preconditionFailure("the compiled schema has no model")
    }
    let record = try ProtobufRecordReader.read(
      bytes, as: descriptor, skippingUnknown: true, inPlace: CoreMLSchema.contentsInPlace,
      limits: limits)
    try self.init(record, bytes, limits)
  }

  /// Reads as much as possible of a file that ``init(_:limits:)`` rejects.
  package init?(fragmentOf bytes: RawSpan) {
    guard let descriptor = CoreMLSchema.model else { return nil }
    var record = ProtobufRecordReader.fragment(
      bytes, as: descriptor, inPlace: CoreMLSchema.contentsInPlace)
    record.fields = record.fields.filter {
      !$0.key.hasPrefix(ProtobufRecordReader.unknownPrefix)
    }
    try? self.init(record, bytes, ProtobufLimits())
  }

  private init(
    _ record: ProtobufRecord, _ bytes: RawSpan, _ limits: ProtobufLimits
  ) throws(WeighbridgeError) {
    let description = record.record("description") ?? [:]
    specificationVersion = record.integer("specificationVersion")
    isUpdatable = record.boolean("isUpdatable")
    inputs = Self.features(description.records("input"))
    outputs = Self.features(description.records("output"))
    states = Self.features(description.records("state"))
    predictedFeature = description.nonEmptyString("predictedFeatureName")
    predictedProbabilities = description.nonEmptyString("predictedProbabilitiesName")
    metadata = CoreMLMetadata(description.record("metadata") ?? [:])
    let commonFields: Set = ["specificationVersion", "description", "isUpdatable"]
    guard let kind = record.fields.keys.filter({ !commonFields.contains($0) }).min() else {
      throw .malformed("the model has no type, expected one such as neuralNetwork")
    }
    self.kind = kind
    if let inner = record.record(kind) {
      let pipeline = inner.record("pipeline") ?? inner
      for member in pipeline.records("models") {
        members.append(try CoreMLOutline(member, bytes, limits))
      }
    }
    if kind == "mlProgram", let byteRange = record.byteRange(kind) {
      functions = Self.functions(description, bytes.extracting(byteRange.range), limits)
    }
  }

  private static func features(_ records: [ProtobufRecord]) -> [Feature] {
    records.map { record in
      let feature = try? CoreMLFeature(record)
      return Feature(
        name: record.string("name"), summary: record.nonEmptyString("shortDescription"),
        type: feature?.type)
    }
  }

  /// The functions that the description lists, or those of the program itself.
  private static func functions(
    _ description: ProtobufRecord, _ program: RawSpan, _ limits: ProtobufLimits
  ) -> [Function] {
    let operations = operations(program, limits)
    let described = description.records("functions").map { record in
      Function(
        name: record.string("name"), inputs: features(record.records("input")),
        outputs: features(record.records("output")), states: features(record.records("state")),
        operations: operations[record.string("name")])
    }
    if !described.isEmpty { return described }
    return operations.sorted { $0.key < $1.key }.map { Function(name: $0, operations: $1) }
  }

  /// The operations of each function; empty where the program cannot be read.
  private static func operations(
    _ program: RawSpan, _ limits: ProtobufLimits
  ) -> [String: [String: Int]] {
    guard let descriptor = CoreMLSchema.program,
      let record = try? ProtobufRecordReader.read(
        program, as: descriptor, skippingUnknown: true, limits: limits)
    else { return [:] }
    var result: [String: [String: Int]] = [:]
    for entry in record.records("functions") {
      // A function may have a specialization for each of several opsets; one is counted.
      let specializations = entry.record("value")?.records("blockSpecializations") ?? []
      var counts: [String: Int] = [:]
      count(specializations.first?.record("value") ?? [:], into: &counts)
      result[entry.string("key")] = counts
    }
    return result
  }

  /// Counts the operations of a block. The reader limits the nesting of blocks.
  private static func count(_ block: ProtobufRecord, into counts: inout [String: Int]) {
    for operation in block.records("operations") {
      let type = operation.string("type")
      if type != "const" { counts[type, default: 0] += 1 }
      for inner in operation.records("blocks") { count(inner, into: &counts) }
    }
  }
}
