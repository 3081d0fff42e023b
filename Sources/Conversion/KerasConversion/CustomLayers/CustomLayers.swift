package import Bytes
import JSON
package import KerasFormat
import LayerCatalog

/// What a user says about custom layers: the file given as `ReadOptions.customLayers`, which
/// `Schemas/custom-layers.schema.json` describes.
package struct CustomLayers: Sendable {
  /// An entry for one layer, for all layers that match a pattern, for a class or for a function.
  package struct Entry: Sendable {
    /// The location in the file, such as `layers.lambda_*`.
    package let place: String
    let pattern: NamePattern
    package let mapping: CustomMapping

    /// Whether it matches a layer, although another entry may be more specific.
    package func fits(_ name: String, path: String) -> Bool {
      pattern.matches(pattern.text.contains("/") ? path + name : name)
    }
  }

  /// The entries of one section of the file.
  package struct Table: Sendable {
    private var exact: [String: Entry] = [:]
    private var patterns: [Entry] = []

    /// All entries, in the order of the file.
    package private(set) var entries: [Entry] = []

    package mutating func append(_ entry: Entry) {
      entries.append(entry)
      if entry.pattern.isExact {
        exact[entry.pattern.text] = entry
      } else {
        patterns.append(entry)
      }
    }

    /// Returns the most specific entry for a name.
    ///
    /// - Parameters:
    ///   - path: The prefix of the name in the file; a pattern with a `/` is matched against both.
    ///   - onlyExact: Whether patterns are ignored.
    package func entry(
      for name: String, path: String = "", onlyExact: Bool
    ) throws(WeighbridgeError) -> Entry? {
      if let entry = exact[path + name] ?? exact[name] { return entry }
      if onlyExact { return nil }
      let matching = patterns.filter { $0.fits(name, path: path) }
      let highest = matching.map(\.pattern.literalCount).max()
      let best = matching.filter { $0.pattern.literalCount == highest }
      guard best.count <= 1 else {
        throw .mismatch(
          "\(best[0].place) and \(best[1].place) of the custom layers match equally specifically; make one of them more specific"
        )
      }
      return best.first
    }
  }

  /// The largest size of a file in bytes.
  package static let sizeLimit = 1 << 20
  /// The largest number of entries in a file.
  package static let entryLimit = 1000

  /// The file; `nil` when there is none.
  package let path: String?
  /// Entries by the layer's name or path.
  package private(set) var layers = Table()
  /// Entries by the name of a function that a `Lambda` or an activation calls.
  private(set) var functions = Table()
  /// Entries by the name of the class, with or without its package.
  private(set) var classes = Table()

  /// Creates an empty file.
  package init() { path = nil }

  /// Reads a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``; ``WeighbridgeError/Code/malformed`` when it is
  ///   not JSON; ``WeighbridgeError/Code/mismatch`` for anything unknown in it;
  ///   ``WeighbridgeError/Code/limitExceeded`` when it is larger than ``sizeLimit``.
  package init(contentsOf store: ByteStore, path: String) throws(WeighbridgeError) {
    self.path = path
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      guard store.count <= Self.sizeLimit else {
        throw .limitExceeded("has \(store.count) bytes, over the limit of \(Self.sizeLimit)")
      }
      var limits = JSONValue.Limits()
      limits.depth = 64
      let text = store.withBytes { $0.copied(0..<$0.byteCount) }
      try read(JSONValue(parsing: text, limits: limits))
    }
  }

  private mutating func read(_ json: JSONValue) throws(WeighbridgeError) {
    var members = try MappingMembers(json, place: "")
    try read(members.object("layers"), into: \.layers, "layers")
    try read(members.object("functions"), into: \.functions, "functions")
    try read(members.object("classes"), into: \.classes, "classes")
    try members.finish()
    let count = layers.entries.count + functions.entries.count + classes.entries.count
    guard count <= Self.entryLimit else {
      throw .limitExceeded("has \(count.counted("entry")), over the limit of \(Self.entryLimit)")
    }
  }

  private mutating func read(
    _ entries: JSONObject?, into table: WritableKeyPath<Self, Table>, _ name: String
  ) throws(WeighbridgeError) {
    guard let entries else { return }
    for key in entries.keys {
      let place = "\(name).\(key)"
      let mapping = try CustomMapping(parsing: entries[key] ?? .null, place: place)
      self[keyPath: table].append(
        Entry(place: place, pattern: NamePattern(key), mapping: mapping))
    }
  }

  /// Returns the entry for a layer, if any: by its name, else by the function it calls, else by its
  /// class.
  ///
  /// - Parameters:
  ///   - path: The prefix of the layer's name: empty, or `outer/`.
  ///   - onlyExact: Whether patterns are ignored.
  package func entry(
    for layer: KerasLayerRecord, path: String, onlyExact: Bool
  ) throws(WeighbridgeError) -> Entry? {
    if let entry = try layers.entry(for: layer.name, path: path, onlyExact: onlyExact) {
      return entry
    }
    if let function = layer.lambdaFunction,
      let entry = try functions.entry(for: function, onlyExact: onlyExact)
    {
      return entry
    }
    for name in layer.classNames {
      if let entry = try classes.entry(for: name, onlyExact: onlyExact) { return entry }
    }
    return nil
  }
}

extension KerasLayerRecord {
  /// The names of the layer's class: first with its package where it is registered in one, then
  /// without.
  package var classNames: [String] {
    let written = registeredName ?? className
    guard let separator = written.lastIndex(of: ">") else {
      return registeredName == nil || registeredName == className
        ? [className] : [written, className]
    }
    let name = String(written[written.index(after: separator)...])
    return name == className || written == className
      ? [written, name] : [written, name, className]
  }

  /// The name of the function that a `Lambda` calls; `nil` for other layers and for anonymous
  /// functions, which a file stores as compiled code.
  package var lambdaFunction: String? {
    guard className == "Lambda", let function = config["function"] else { return nil }
    if let name = function.string { return name }  // Keras 1 and 2
    guard function.object?["class_name"] == "function" else { return nil }
    return function.object?["config"]?.string
  }
}
