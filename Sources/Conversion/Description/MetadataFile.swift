package import Bytes
import GraphIR
package import JSON

extension DescriptionEdit {
  /// Reads a metadata file, whose members `Schemas/metadata.schema.json` describes.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a member that is not known or of another type.
  package init(metadata json: JSONValue) throws(WeighbridgeError) {
    self.init()
    var members = try MetadataMembers(json, place: "")
    name = try members.text("name")
    author = try members.text("author")
    license = try members.text("license")
    licenseNote = try members.text("licenseNote")
    version = try members.text("version")
    summary = try members.text("description")
    for feature in try members.list("inputs") {
      try read(
        feature, names: \.inputNames, listed: \.listedInputs, summaries: \.inputSummaries)
    }
    for feature in try members.list("outputs") {
      try read(
        feature, names: \.outputNames, listed: \.listedOutputs, summaries: \.outputSummaries)
    }
    labels = try members.texts("labels")
    if let detector = try members.object("detector") { try read(detector: detector) }
    if var user = try members.object("userDefined") { userDefined = try user.allTexts() }
    try members.finish()
  }

  private mutating func read(
    _ feature: MetadataMembers, names: WritableKeyPath<Self, [Rename]>,
    listed: WritableKeyPath<Self, [String]>, summaries: WritableKeyPath<Self, [String: String]>
  ) throws(WeighbridgeError) {
    var feature = feature
    guard let name = try feature.text("name") else { throw feature.wrong("name", "is missing") }
    if let old = try feature.text("source") {
      self[keyPath: names].append(Rename(old: old, new: name))
    }
    self[keyPath: listed].append(name)
    self[keyPath: summaries][name] = try feature.text("description")
    if names == \Self.inputNames, var settings = try feature.object("image") {
      var image = Image(input: name)
      image.colorOrder = try settings.word("color")
      image.scale = try settings.number("scale")
      image.bias = try settings.numbers("bias")
      image.resize = try settings.word("resize")
      image.layout = try settings.word("layout")
      try settings.finish()
      images.append(image)
    }
    try feature.finish()
  }

  private mutating func read(detector members: MetadataMembers) throws(WeighbridgeError) {
    var members = members
    guard let kind = try members.word("kind", as: Detector.Kind.self) else {
      throw members.wrong("kind", "is missing")
    }
    var edit = DetectorEdit(kind: kind, anchors: try members.numbers("anchors") ?? [])
    if members.has("heads") {
      edit.heads = try members.list("heads").map { (head) throws(WeighbridgeError) in
        try Self.head(head)
      }
    }
    edit.boxEncoding = try members.word("boxEncoding")
    edit.hasObjectness = try members.flag("objectness")
    edit.classCount = try members.integer("classes")
    edit.suppression = try members.word("suppression")
    edit.confidenceThreshold = try members.number("confidenceThreshold")
    edit.overlapThreshold = try members.number("overlapThreshold")
    try members.finish()
    detector = edit
  }

  private static func head(_ members: MetadataMembers) throws(WeighbridgeError) -> Detector.Head {
    var members = members
    guard let output = try members.text("output") else {
      throw members.wrong("output", "is missing")
    }
    guard let mask = try members.integers("mask") else { throw members.wrong("mask", "is missing") }
    let head = Detector.Head(
      output: output, mask: mask, stride: try members.number("stride"),
      scaleXY: try members.number("scaleXY") ?? 1)
    try members.finish()
    return head
  }
}

/// The members of an object in a metadata file; each is read at most once, none is left.
struct MetadataMembers {
  private var members: JSONObject
  private let place: String

  init(_ json: JSONValue, place: String) throws(WeighbridgeError) {
    guard let object = json.object else {
      throw WeighbridgeError(.mismatch, "\(json.typeName) where an object is expected")
        .at(.path(place.isEmpty ? "/" : place))
    }
    members = object
    self.place = place
  }

  func finish() throws(WeighbridgeError) {
    if let key = members.keys.first { throw wrong(key, "is not known") }
  }

  /// Whether there is a member of that name that is not null.
  func has(_ key: String) -> Bool { (members[key] ?? .null) != .null }

  func wrong(_ key: String, _ problem: String) -> WeighbridgeError {
    WeighbridgeError(.mismatch, problem).at(.path("\(place)/\(key)"))
  }

  mutating func text(_ key: String) throws(WeighbridgeError) -> String? {
    guard let value = take(key) else { return nil }
    guard let text = value.string else { throw wrong(key, "is not a string") }
    return text
  }

  mutating func texts(_ key: String) throws(WeighbridgeError) -> [String]? {
    guard let value = take(key) else { return nil }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count else {
      throw wrong(key, "is not a list of strings")
    }
    return texts
  }

  mutating func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, as type: Word.Type = Word.self
  ) throws(WeighbridgeError) -> Word? {
    guard let text = try text(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(key, "is \(text), and one of \(known) is expected")
    }
    return word
  }

  mutating func flag(_ key: String) throws(WeighbridgeError) -> Bool? {
    guard let value = take(key) else { return nil }
    guard let flag = value.bool else { throw wrong(key, "is not true or false") }
    return flag
  }

  mutating func integer(_ key: String) throws(WeighbridgeError) -> Int? {
    guard let value = take(key) else { return nil }
    guard let integer = value.integer else { throw wrong(key, "is not a whole number") }
    return integer
  }

  mutating func integers(_ key: String) throws(WeighbridgeError) -> [Int]? {
    guard let value = take(key) else { return nil }
    let integers = value.array?.compactMap(\.integer)
    guard let integers, integers.count == value.array?.count else {
      throw wrong(key, "is not a list of whole numbers")
    }
    return integers
  }

  mutating func number(_ key: String) throws(WeighbridgeError) -> Double? {
    guard let value = take(key) else { return nil }
    guard let number = value.real else { throw wrong(key, "is not a number") }
    return number
  }

  mutating func numbers(_ key: String) throws(WeighbridgeError) -> [Double]? {
    guard let value = take(key) else { return nil }
    let numbers = value.array?.compactMap(\.real)
    guard let numbers, numbers.count == value.array?.count else {
      throw wrong(key, "is not a list of numbers")
    }
    return numbers
  }

  mutating func object(_ key: String) throws(WeighbridgeError) -> MetadataMembers? {
    guard let value = take(key) else { return nil }
    return try MetadataMembers(value, place: "\(place)/\(key)")
  }

  mutating func list(_ key: String) throws(WeighbridgeError) -> [MetadataMembers] {
    guard let value = take(key) else { return [] }
    guard let elements = value.array else { throw wrong(key, "is not a list") }
    var result: [MetadataMembers] = []
    for (index, element) in elements.enumerated() {
      result.append(try MetadataMembers(element, place: "\(place)/\(key)/\(index)"))
    }
    return result
  }

  mutating func allTexts() throws(WeighbridgeError) -> [String: String] {
    var result: [String: String] = [:]
    for key in members.keys { result[key] = try text(key) }
    return result
  }

  private mutating func take(_ key: String) -> JSONValue? {
    defer { members[key] = nil }
    return members[key] == .null ? nil : members[key]
  }
}
