package import Bytes
import ZipArchive

/// Reads and writes NumPy's files: `.npy`, one array, and `.npz`, a ZIP archive of them.
///
/// The formats are those of NumPy's `numpy.lib.format` and of PKWARE's APPNOTE 6.3.
package enum NumPyFile {
  /// Reads all arrays of a file, whose format is recognized by its content. A `.npy` file yields
  /// one array with an empty name.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``, ``WeighbridgeError/Code/malformed``,
  ///   ``WeighbridgeError/Code/unsupported`` for an unsupported element type or compression, or
  ///   encryption, ``WeighbridgeError/Code/limitExceeded``.
  package static func read(
    path: String, limits: NumPyLimits = NumPyLimits()
  ) throws(WeighbridgeError) -> [NumPyArray] {
    let store = ByteStore(try MappedFile(path: path))
    return try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try read(store, limits: limits)
    }
  }

  /// Whether bytes begin like a `.npy` file or a ZIP archive.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    NPYHeader.isMagic(bytes) || ZipDirectory.isMagic(bytes)
  }

  /// Whether bytes begin like a `.npz` archive: a ZIP archive whose first member is an array.
  package static func recognizesArchive(_ bytes: RawSpan) -> Bool {
    ZipDirectory.firstName(bytes)?.hasSuffix(NPYHeader.fileExtension) == true
  }

  /// Reads all arrays of a file whose bytes are already available.
  ///
  /// - Throws: As ``read(path:limits:)``, except for a missing file.
  package static func read(
    _ store: ByteStore, limits: NumPyLimits = NumPyLimits()
  ) throws(WeighbridgeError) -> [NumPyArray] {
    var memory = limits.memory
    if store.withBytes({ NPYHeader.isMagic($0) }) {
      return [
        try NPYReader.array(
          named: "", in: store, 0..<store.count, memory: &memory, limits: limits)
      ]
    }
    guard store.withBytes({ ZipDirectory.isMagic($0) }) else {
      throw .malformed("is neither a .npy file nor a .npz archive").at(.byte(0))
    }
    return try readArchive(store, memory: &memory, limits: limits)
  }

  private static func readArchive(
    _ store: ByteStore, memory: inout Int, limits: NumPyLimits
  ) throws(WeighbridgeError) -> [NumPyArray] {
    let directory = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try ZipDirectory(bytes, memberLimit: limits.memberCount)
    }
    var arrays: [NumPyArray] = []
    for member in directory.members {
      do throws(WeighbridgeError) {
        guard member.name.hasSuffix(NPYHeader.fileExtension) else {
          throw .unsupported("is not an array: its name does not end with .npy")
        }
        let (contents, range) = try ZipReader.contents(of: member, in: store, memory: &memory)
        arrays.append(
          try NPYReader.array(
            named: String(member.name.dropLast(NPYHeader.fileExtension.count)), in: contents,
            range, memory: &memory, limits: limits))
      } catch {
        throw WeighbridgeError(error.code, error.reason).at(.path(member.name))
      }
    }
    return arrays
  }
}
