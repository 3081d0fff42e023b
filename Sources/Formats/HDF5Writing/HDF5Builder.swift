package import Bytes

/// What an HDF5 file will hold, without the elements of its datasets.
package struct HDF5Builder: Sendable {
  /// A dataset that will be written.
  package struct Dataset: Hashable, Sendable {
    /// The absolute path.
    package let path: String
    /// The type of the elements.
    package let elementType: ElementType
    /// The sizes, outermost first; empty for a scalar.
    package let shape: [Int]

    var byteCount: Int { shape.reduce(elementType.byteCount, *) }
  }

  /// An attribute that will be written.
  enum Attribute: Hashable, Sendable {
    /// A text of any length.
    case text(String)
    /// Texts of one length, filled up with zeros, as NumPy has them.
    case list([String])
  }

  /// The groups, each behind the one that it is in; the root is not among them.
  private(set) var groups: [String] = []
  private var known: Set<String> = ["/"]
  /// The datasets in the order in which they were added.
  package private(set) var datasets: [Dataset] = []
  private(set) var attributes: [(path: String, name: String, value: Attribute)] = []

  /// An empty file.
  package init() {}

  /// Adds a group and those that it is in, as far as they are not there.
  package mutating func addGroup(_ path: String) {
    var current = ""
    for part in path.split(separator: "/") {
      current += "/\(part)"
      if known.insert(current).inserted { groups.append(current) }
    }
  }

  /// Adds a dataset and the groups that it is in.
  package mutating func addDataset(
    _ path: String, _ elementType: ElementType, shape: [Int]
  ) {
    addGroup(path.split(separator: "/").dropLast().joined(separator: "/"))
    datasets.append(Dataset(path: path, elementType: elementType, shape: shape))
  }

  /// Adds a text to a group or dataset.
  package mutating func setText(_ name: String, _ text: String, of path: String) {
    attributes.append((path, name, .text(text)))
  }

  /// Adds a list of texts to a group.
  package mutating func setList(_ name: String, _ texts: [String], of path: String) {
    attributes.append((path, name, .list(texts)))
  }
}
