package import Bytes

/// The contents of an HDF5 file to be written, without the elements of its datasets.
package struct HDF5Builder: Sendable {
  /// A dataset to be written.
  package struct Dataset: Hashable, Sendable {
    /// The absolute path.
    package let path: String
    /// The type of the elements.
    package let elementType: ElementType
    /// The sizes, outermost first; empty for a scalar.
    package let shape: [Int]

    var byteCount: Int { shape.reduce(elementType.byteCount, *) }
  }

  /// An attribute to be written.
  enum Attribute: Hashable, Sendable {
    /// A variable-length string.
    case string(String)
    /// Strings of one fixed length, padded with zeros as in NumPy.
    case strings([String])
  }

  /// The paths of the groups without the root, each after its parent.
  private(set) var groups: [String] = []
  private var groupPaths: Set<String> = ["/"]
  /// The datasets in the order in which they were added.
  package private(set) var datasets: [Dataset] = []
  private(set) var attributes: [(path: String, name: String, value: Attribute)] = []

  /// Creates an empty file.
  package init() {}

  /// Adds a group and its ancestors, unless they exist.
  package mutating func addGroup(_ path: String) {
    var current = ""
    for part in path.split(separator: "/") {
      current += "/\(part)"
      if groupPaths.insert(current).inserted { groups.append(current) }
    }
  }

  /// Adds a dataset and its ancestors.
  package mutating func addDataset(
    _ path: String, _ elementType: ElementType, shape: [Int]
  ) {
    addGroup(path.split(separator: "/").dropLast().joined(separator: "/"))
    datasets.append(Dataset(path: path, elementType: elementType, shape: shape))
  }

  /// Adds a string attribute to a group or dataset.
  package mutating func setString(_ name: String, _ value: String, of path: String) {
    attributes.append((path, name, .string(value)))
  }

  /// Adds an attribute that is a list of strings to a group.
  package mutating func setStrings(_ name: String, _ values: [String], of path: String) {
    attributes.append((path, name, .strings(values)))
  }
}
