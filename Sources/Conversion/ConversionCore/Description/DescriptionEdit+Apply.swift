package import Bytes
package import GraphIR

extension ModelContent {
  /// Applies a user's edit to the description, and checks that it fits the model.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a name is unknown or given twice, or labels,
  ///   anchors or image settings do not fit the model's shapes; the message shows the arithmetic.
  package mutating func apply(_ edit: DescriptionEdit) throws(WeighbridgeError) {
    try rename(edit)
    description.name = edit.name ?? description.name
    description.author = edit.author ?? description.author
    description.license = edit.license.map { License(parsing: $0) } ?? description.license
    try setLicenseNote(edit.licenseNote)
    description.version = edit.version ?? description.version
    description.summary = edit.summary ?? description.summary
    description.userDefined.merge(edit.userDefined) { _, new in new }
    try Self.describe(&description.inputs, edit.inputSummaries, what: "input")
    try Self.describe(&description.outputs, edit.outputSummaries, what: "output")
    try setDefaults(edit.inputDefaults)
    for image in edit.images {
      try Self.describe(image, &description.inputs, graph, graph.inputs, what: "input")
    }
    for image in edit.outputImages {
      try Self.describe(image, &description.outputs, graph, graph.outputs, what: "output")
    }
    description.labels = edit.labels ?? description.labels
    if let detector = edit.detector {
      description.detector = try makeDetector(detector)
    }
    try checkLabels()
  }

  private mutating func setDefaults(_ defaults: [String: Double]) throws(WeighbridgeError) {
    for (name, number) in defaults.sorted(by: { $0.key < $1.key }) {
      let index = try Self.position(of: name, in: description.inputs.map(\.name), what: "input")
      let type = graph[graph.inputs[index].value].type
      guard type.canBeFilled(with: number) else {
        throw .mismatch(
          "the input \(name) is \(type) and cannot be \(number) where it is not given: that takes "
            + "known sizes, and a number that the element type has")
      }
      description.inputs[index].defaultValue = number
    }
  }

  private mutating func setLicenseNote(_ note: String?) throws(WeighbridgeError) {
    guard let note else { return }
    guard description.license != nil else {
      throw .mismatch("a note on the license without a license")
    }
    description.license?.note = note
  }

  private mutating func rename(_ edit: DescriptionEdit) throws(WeighbridgeError) {
    let inputs = try Self.renamed(
      description.inputs.map(\.name), edit.inputNames, listed: edit.listedInputs, what: "input")
    let outputs = try Self.renamed(
      description.outputs.map(\.name), edit.outputNames, listed: edit.listedOutputs,
      what: "output")
    let (oldInputs, oldOutputs) = (graph.inputs.map(\.name), graph.outputs.map(\.name))
    graph = graph.renamingPorts(inputs: inputs, outputs: outputs)
    for index in references.indices {
      references[index].inputs.rename(from: oldInputs, to: inputs)
      references[index].outputs.rename(from: oldOutputs, to: outputs)
    }
    let renamed = Dictionary(zip(oldOutputs, outputs), uniquingKeysWith: { first, _ in first })
    for index in compaction?.outputs.indices ?? 0..<0 {
      guard let old = compaction?.outputs[index].output else { continue }
      compaction?.outputs[index].output = renamed[old] ?? old
    }
    description.detector?.renameOutputs(renamed)
    for (index, name) in inputs.enumerated() { description.inputs[index].name = name }
    for (index, name) in outputs.enumerated() { description.outputs[index].name = name }
  }

  private static func renamed(
    _ names: [String], _ renames: [DescriptionEdit.Rename], listed: [String], what: String
  ) throws(WeighbridgeError) -> [String] {
    var result = names
    for rename in renames {
      let index: Int
      if let old = rename.old {
        index = try position(of: old, in: names, what: what)
      } else {
        guard names.count == 1 else {
          throw .mismatch(
            "the model has \(names.count) \(what)s (\(names.joined(separator: ", "))), so "
              + "say which "
              + "one is to be called \(rename.new): OLD=NEW")
        }
        index = 0
      }
      result[index] = rename.new
    }
    if renames.isEmpty, listed.count == names.count, Set(listed).isDisjoint(with: names) {
      result = listed
    }
    for name in listed { _ = try position(of: name, in: result, what: what) }
    if let name = result.first(where: { name in result.count { $0 == name } > 1 }) {
      throw .mismatch("two \(what)s would be called \(name)")
    }
    return result
  }

  private static func describe(
    _ features: inout [ModelDescription.Feature], _ summaries: [String: String], what: String
  ) throws(WeighbridgeError) {
    for name in summaries.keys.sorted() {
      let index = try position(of: name, in: features.map(\.name), what: what)
      features[index].summary = summaries[name]
    }
  }

  package static func position(
    of name: String, in names: [String], what: String
  ) throws(WeighbridgeError) -> Int {
    guard let index = names.firstIndex(of: name) else {
      throw .mismatch("the model has no \(what) \(name); it has \(names.joined(separator: ", "))")
    }
    return index
  }

  private static func describe(
    _ image: DescriptionEdit.Image, _ features: inout [ModelDescription.Feature], _ graph: Graph,
    _ ports: [Port], what: String
  ) throws(WeighbridgeError) {
    let index = try position(of: image.input, in: features.map(\.name), what: what)
    let type = graph[ports[index].value].type
    guard let (layout, channels) = imageLayout(type, image.layout) else {
      let axisHint = image.layout.map { ", where \($0.rawValue) has them" }
      throw .mismatch(
        "the \(what) \(image.input) is \(type), and an image has 4 axes with 1 or 3 channels"
          + (axisHint ?? " at the end (or after the batch)"))
    }
    let colorOrder = image.colorOrder ?? (channels == 1 ? .gray : .rgb)
    guard colorOrder.componentCount == channels else {
      throw .mismatch(
        "the \(what) \(image.input) has \(channels) channels, and \(colorOrder.rawValue) has "
          + "\(colorOrder.componentCount)")
    }
    let bias = image.bias ?? [Double](repeating: 0, count: channels)
    guard bias.count == channels else {
      throw .mismatch(
        "has \(bias.count) image biases, and the \(what) \(image.input) has \(channels) channels")
    }
    features[index].image = ImageInput(
      colorOrder: colorOrder, scale: image.scale ?? 1, bias: bias, resize: image.resize,
      layout: layout)
  }

  /// The axis order of an image and its number of channels; `nil` when the type cannot be
  /// that of an image.
  private static func imageLayout(
    _ type: TensorType, _ given: DataLayout?
  ) -> (DataLayout, channels: Int)? {
    for layout in DataLayout.allCases where (given ?? layout) == layout {
      guard let axes = layout.imageAxes(rank: type.rank),
        let channels = type.shape[axes.channels].value
      else { continue }
      if [1, 3].contains(channels) { return (layout, channels) }
    }
    return nil
  }
}

extension [ReferenceSet.Entry] {
  /// Renames entries as their inputs or outputs were renamed.
  fileprivate mutating func rename(from old: [String], to new: [String]) {
    let names = Dictionary(zip(old, new), uniquingKeysWith: { first, _ in first })
    for index in indices { self[index].name = names[self[index].name] ?? self[index].name }
  }
}

extension DetectorDescription {
  /// Gives outputs other names, by their old ones.
  package mutating func renameOutputs(_ names: [String: String]) {
    func new(_ name: String) -> String { names[name] ?? name }
    if var grid {
      for index in grid.heads.indices { grid.heads[index].output = new(grid.heads[index].output) }
      self.grid = grid
    } else if case .detection(var row) = family {
      row.outputs = row.outputs.map(new)
      family = .detection(row)
    }
  }
}
