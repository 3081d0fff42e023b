import Bytes
import ConversionCore
import DarknetFormat

/// The names of a network's classes: from the `.data` file, or from a `.names` file next to the
/// `.cfg` with as many names as there are classes.
struct DarknetLabels {
  private(set) var labels: [String] = []
  /// The file that contains them.
  private(set) var file: SourceFile?
  /// The reasons for choosing this file, or none.
  private(set) var decisions: [String] = []
  private let options: ReadOptions

  /// Finds the labels.
  ///
  /// - Parameters:
  ///   - path: The `.cfg` file.
  ///   - classCount: The number of classes, if the network states it.
  /// - Throws: ``WeighbridgeError/Code/missing`` and ``WeighbridgeError/Code/mismatch`` for a
  ///   `.data` file and the file that it names.
  init(_ path: String, classCount: Int?, _ options: ReadOptions) throws(WeighbridgeError) {
    self.options = options
    if let data = options.data {
      try read(data: data, classCount)
    } else if let classCount, options.findsLabels {
      try search(nextTo: FilePath(path), classCount)
    }
  }

  /// Searches the folder of the `.cfg` for a file with as many names as there are classes.
  private mutating func search(nextTo path: FilePath, _ classCount: Int) throws(WeighbridgeError) {
    var fitting: [(name: String, labels: [String])] = []
    var failed: [String] = []
    let names = FolderListing.names(in: path.folder).filter { $0.lowercased().hasSuffix(".names") }
    for name in names.prefix(100) {
      do throws(WeighbridgeError) {
        let labels = try LabelFile.read(path.sibling(name))
        if labels.count == classCount {
          fitting.append((name, labels))
        } else {
          failed.append("\(name): \(labels.count) names")
        }
      } catch {
        failed.append("\(name): \(error.reason)")
      }
    }
    let preferred = fitting.first { $0.name == "\(path.stem).names" }
    guard let found = preferred ?? (fitting.count == 1 ? fitting[0] : nil) else {
      if !fitting.isEmpty {
        decisions = [
          "\(String.listing(fitting.map(\.name))) beside the .cfg have as many names as there are "
            + "classes (\(classCount)), and none was taken: choose one with \(APIName.labels)"
        ]
      } else if !failed.isEmpty {
        decisions = [
          "no labels were taken, because no .names file beside the .cfg has \(classCount) names "
            + "(\(failed.prefix(8).joined(separator: "; "))): name the file with \(APIName.labels)"
        ]
      }
      return
    }
    try take(found.labels, path.sibling(found.name))
    let alternatives = fitting.map(\.name).filter { $0 != found.name }
    decisions = [
      "the labels are those of \(found.name) beside the .cfg, which are as many as the classes"
        + (alternatives.isEmpty ? "" : " (as those of \(String.listing(alternatives)) are)")
    ]
  }

  /// Reads the labels that a `.data` file names.
  private mutating func read(data path: String, _ classCount: Int?) throws(WeighbridgeError) {
    let data = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try DarknetDataFile(ByteStore(try MappedFile(path: path)))
    }
    guard let names = data.names, !names.value.isEmpty else {
      throw .mismatch("has no names=, which must name the file of labels").at(file: path)
    }
    let candidates = FilePath(path).candidates(for: names.value)
    guard let found = candidates.first(where: FilePath.isFile) else {
      throw .missing(
        "names=\(names.value) is not there, nor is a file of that name beside this one; put it there, "
          + "or name the labels with \(APIName.labels) in place of \(APIName.data)"
      ).at(.line(names.line)).at(file: path)
    }
    let labels = try LabelFile.read(found)
    if let classCount, labels.count != classCount {
      throw .mismatch("has \(labels.count) labels, and the network has \(classCount) classes")
        .at(file: found)
    }
    try take(labels, found)
  }

  private mutating func take(_ labels: [String], _ path: String) throws(WeighbridgeError) {
    self.labels = labels
    file = SourceFile(
      role: "labels", path: path, store: ByteStore(try MappedFile(path: path)),
      startsDigest: options.preparesWriting)
  }
}
