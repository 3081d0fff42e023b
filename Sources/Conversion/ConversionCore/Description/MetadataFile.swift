package import Bytes
import GraphIR
package import JSON

extension DescriptionEdit {
  /// Reads a metadata file, whose members `Schemas/metadata.schema.json` describes.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a member that is unknown or has the wrong
  ///   type.
  package init(metadata json: JSONValue) throws(WeighbridgeError) {
    self.init()
    var members = try MetadataMembers(json, path: "")
    name = try members.string("name")
    author = try members.string("author")
    license = try members.string("license")
    licenseNote = try members.string("licenseNote")
    version = try members.string("version")
    summary = try members.string("description")
    for feature in try members.list("inputs") {
      try read(
        feature, names: \.inputNames, listed: \.listedInputs, summaries: \.inputSummaries)
    }
    for feature in try members.list("outputs") {
      try read(
        feature, names: \.outputNames, listed: \.listedOutputs, summaries: \.outputSummaries)
    }
    labels = try members.strings("labels")
    detector = try members.object("detector").map { (object) throws(WeighbridgeError) in
      try MetadataFieldReader.record(object)
    }
    if var user = try members.object("userDefined") { userDefined = try user.allStrings() }
    try members.finish()
  }

  private mutating func read(
    _ feature: MetadataMembers, names: WritableKeyPath<Self, [Rename]>,
    listed: WritableKeyPath<Self, [String]>, summaries: WritableKeyPath<Self, [String: String]>
  ) throws(WeighbridgeError) {
    var feature = feature
    guard let name = try feature.string("name") else {
      throw feature.error(at: "name", "is missing")
    }
    if let old = try feature.string("source") {
      self[keyPath: names].append(Rename(old: old, new: name))
    }
    self[keyPath: listed].append(name)
    self[keyPath: summaries][name] = try feature.string("description")
    if names == \Self.inputNames { inputDefaults[name] = try feature.number("default") }
    if var settings = try feature.object("image") {
      let isInput = names == \Self.inputNames
      var image = Image(input: name)
      image.colorOrder = try settings.choice("color")
      image.scale = try settings.number("scale")
      image.bias = try settings.numbers("bias")
      if isInput { image.resize = try settings.choice("resize") }
      image.layout = try settings.choice("layout")
      try settings.finish()
      if isInput { images.append(image) } else { outputImages.append(image) }
    }
    try feature.finish()
  }
}
