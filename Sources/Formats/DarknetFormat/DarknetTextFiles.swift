package import Bytes

/// A `.data` file: keys and values, read by the rules of a `.cfg` without sections.
package struct DarknetDataFile: Hashable, Sendable {
  /// The path of the file with the names of the classes, as written.
  package let names: DarknetOption?
  /// The number of classes.
  package let classes: DarknetOption?

  /// Reads a file. Other keys are for training and are ignored.
  ///
  /// - Throws: As ``DarknetConfiguration/init(_:)``.
  package init(_ store: ByteStore) throws(WeighbridgeError) {
    guard store.count <= DarknetConfiguration.byteLimit else {
      throw .limitExceeded("has \(store.count) bytes, too many for a .data file")
    }
    let bytes = store.withBytes { $0.copied(0..<$0.byteCount) }
    let options: [DarknetOption]
    do {
      options = try DarknetConfiguration(bytes: bytes, section: "data").sections[0].options
    } catch {
      throw WeighbridgeError(error.code, "is not a .data file: \(error.reason)")
    }
    names = options.first { $0.key == "names" }
    classes = options.first { $0.key == "classes" }
  }
}

/// A tree of classes, such as that of YOLO9000: a line `name parent` for each class.
///
/// Consecutive lines with the same parent form a group; the classes of a group are mutually
/// exclusive.
package struct DarknetTree: Hashable, Sendable {
  /// The parent of each class; -1 for a root.
  package let parents: [Int]
  /// The number of classes in each group, in the order of the file.
  package let groupSizes: [Int]

  /// Reads a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at a line whose parent is not an earlier line.
  package init(_ store: ByteStore) throws(WeighbridgeError) {
    guard store.count <= DarknetConfiguration.byteLimit else {
      throw .limitExceeded("has \(store.count) bytes, too many for a tree")
    }
    let lines = store.withBytes { $0.copied(0..<$0.byteCount) }.split(separator: 0x0A)
    var parents: [Int] = []
    var sizes: [Int] = []
    for (index, line) in lines.enumerated() {
      let fields = line.split { [0x20, 0x09, 0x0D].contains($0) }
      guard fields.count == 2, let parent = Int(String(decoding: fields[1], as: UTF8.self)),
        (-1..<index).contains(parent)
      else {
        throw .malformed("is not a name and the index of an earlier class, or -1 for a root")
          .at(.line(index + 1))
      }
      if parent == parents.last { sizes[sizes.count - 1] += 1 } else { sizes.append(1) }
      parents.append(parent)
    }
    guard !sizes.isEmpty else { throw .malformed("the tree has no classes") }
    groupSizes = sizes
    self.parents = parents
  }
}
