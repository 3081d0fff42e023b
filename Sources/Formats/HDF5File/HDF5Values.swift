package import Bytes

/// A group of an HDF5 file.
package struct HDF5Group: Hashable, Sendable {
  /// The absolute path as given.
  package let path: String
  /// The links of the group, sorted by name.
  package let members: [HDF5Member]
}

/// A link of a group and the kind of its target.
package struct HDF5Member: Hashable, Sendable {
  /// The kind of a member.
  package enum Kind: String, Hashable, Sendable {
    /// A hard link to a group.
    case group
    /// A hard link to a dataset.
    case dataset
    /// A soft link, by path within the file; its target was not read.
    case softLink = "soft link"
    /// A link into another file, which is never followed.
    case externalLink = "external link"
    /// A named type, a link of a kind that HDF5 does not define, or an object whose name is not
    /// UTF-8.
    case other = "object of another kind"
  }

  /// The member's absolute path.
  package let path: String
  /// The kind of the member.
  package let kind: Kind

  /// Creates a member.
  package init(path: String, kind: Kind) {
    self.path = path
    self.kind = kind
  }

  /// The last component of the path.
  package var name: String { String(path.split(separator: "/").last ?? "") }
}

/// A dataset of an HDF5 file: its type, shape and location, without its elements.
package struct HDF5Dataset: Hashable, Sendable {
  /// The location of the bytes.
  package enum Storage: Hashable, Sendable {
    /// In the file, dense, row-major and little-endian.
    case fileRange(Range<Int>)
    /// In chunks, compressed, big-endian or never written; see ``HDF5File/contents(of:)``.
    case encoded
  }

  /// The absolute path as given.
  package let path: String
  /// The type of the elements.
  package let elementType: ElementType
  /// The sizes, slowest axis first; empty for a scalar.
  package let shape: [Int]
  /// The size of all elements in bytes.
  package let byteCount: Int
  /// The location of the bytes.
  package let storage: Storage
}

/// The value of an attribute: a scalar (one element) or a list.
package enum HDF5Attribute: Hashable, Sendable {
  case strings([String])
  case integers([Int])
  case doubles([Double])

  /// The strings. An empty list of any type counts as a list of strings, because h5py writes an
  /// empty list of strings as an empty list of numbers.
  package var strings: [String]? {
    switch self {
    case .strings(let values): values
    case .integers(let values): values.isEmpty ? [] : nil
    case .doubles(let values): values.isEmpty ? [] : nil
    }
  }

  /// The string, when there is exactly one.
  package var string: String? {
    guard case .strings(let values) = self, values.count == 1 else { return nil }
    return values.first
  }
}
