package import Bytes
import GraphIR

extension DescriptionEdit.DetectorEdit {
  /// Reads the detector of a metadata file.
  package init(_ members: MetadataMembers) throws(WeighbridgeError) {
    var members = members
    guard let kind = try members.choice("kind", as: DetectorDescription.Kind.self) else {
      throw members.error(at: "kind", "is missing")
    }
    self.init(kind: kind, anchors: try members.numbers("anchors") ?? [])
    if members.has("heads") {
      heads = try members.list("heads").map { (head) throws(WeighbridgeError) in
        try DetectorDescription.Head(head)
      }
    }
    boxEncoding = try members.choice("boxEncoding")
    hasObjectness = try members.flag("objectness")
    hasBackground = try members.flag("background")
    activated = try members.choices("activated").map { Set($0) }
    order = try members.choice("order")
    side = try members.integer("side")
    boxesPerCell = try members.integer("boxesPerCell")
    classCount = try members.integer("classes")
    if let tree = try members.object("classTree") {
      classTree = try DetectorDescription.ClassTree(tree)
    }
    suppression = try members.choice("suppression")
    distanceExponent = try members.number("distanceExponent")
    confidenceThreshold = try members.number("confidenceThreshold")
    overlapThreshold = try members.number("overlapThreshold")
    try members.finish()
  }
}

extension DetectorDescription.Head {
  fileprivate init(_ members: MetadataMembers) throws(WeighbridgeError) {
    var members = members
    guard let output = try members.string("output") else {
      throw members.error(at: "output", "is missing")
    }
    guard let mask = try members.integers("mask") else {
      throw members.error(at: "mask", "is missing")
    }
    self.init(
      output: output, mask: mask, stride: try members.number("stride"),
      scaleXY: try members.number("scaleXY") ?? 1,
      boxPoint: try members.choice("boxPoint") ?? .center)
    try members.finish()
  }
}

extension DetectorDescription.ClassTree {
  fileprivate init(_ members: MetadataMembers) throws(WeighbridgeError) {
    var members = members
    guard let parents = try members.optionalIntegers("parents") else {
      throw members.error(at: "parents", "is missing")
    }
    self.init(
      parents: parents, threshold: try members.number("threshold") ?? 0.5,
      choice: try members.choice("choice") ?? .last)
    try members.finish()
  }
}
