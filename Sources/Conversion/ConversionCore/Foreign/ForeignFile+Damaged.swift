import Bytes

extension ForeignFile {
  /// Files that are damaged or are only placeholders for a model.
  package static let damaged: [ForeignFile] = [
    ForeignFile { sample in
      guard sample.begins("version https://git-lfs.") || sample.begins("version https://hawser.")
      else { return nil }
      let size = sample.text.split(separator: "\n").first { $0.hasPrefix("size ") }
        .flatMap { Int($0.dropFirst(5)) }
      return "is a pointer of Git LFS, not the file itself"
        + (size.map { ", which has \($0) bytes" } ?? "")
        + "; get it with: git lfs pull"
    },
    ForeignFile { symbolicLink($0) },
    ForeignFile { sample in
      isMangled(sample.start)
        ? "was damaged by a transfer as text: its bytes above 127 are replaced by EF BF BD, and "
          + "cannot be restored; get the file again, as binary" : nil
    },
    ForeignFile { sample in
      let signatures: [[UInt8]] = [
        Array("\u{89}HDF\r\r\n\u{1A}\r\n".unicodeScalars.map { UInt8($0.value) }),
        Array("\u{89}HDF\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) }),
        [0xC2, 0x89] + Array("HDF\r\n\u{1A}\n".utf8),
      ]
      return signatures.contains { sample.begins($0) }
        ? "is an HDF5 file that was damaged by a transfer as text, which changed its bytes; get "
          + "the file again, as binary" : nil
    },
    ForeignFile(
      [0x00, 0x05, 0x16, 0x07],
      "is the file that macOS writes next to another file (AppleDouble), without the other one's "
        + "contents; give the one without \"._\" at the start of its name"),
    ForeignFile { sample in
      let text = sample.text
      let isPage = ["<!doctype html", "<html", "<head", "<script"].contains { text.hasPrefix($0) }
      return isPage
        ? "is a web page (HTML), not a model: the download gave a page in place of the file, as "
          + "when a login is needed; download it again from the link to the file itself" : nil
    },
    ForeignFile { sample in
      sample.text.hasPrefix("<?xml") && sample.text.contains("<error>")
        ? "is a server's error message (XML), not a model: the download failed; get it again" : nil
    },
  ]

  /// Recognizes a short text that is only a path, which Git writes for a symbolic link on a system
  /// without them.
  private static func symbolicLink(_ sample: FileSample) -> String? {
    guard sample.count <= 1024, sample.isText else { return nil }
    let text = String(decoding: sample.start, as: UTF8.self)
    let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
    let name = line.split(separator: "/").last ?? ""
    let isPath = line.allSatisfy { $0.isLetter || $0.isNumber || "._-+/ ".contains($0) }
    let hasExtension =
      name.split(separator: ".").count >= 2 && name.last?.isLetter == true
      || name.hasSuffix("5")
    let isPlain = !line.contains(" ") || line.hasPrefix("../") || line.hasPrefix("./")
    guard isPath, hasExtension, isPlain, !name.hasSuffix(".") else { return nil }
    let target = FilePath(sample.path).sibling(line)
    return "is a symbolic link that was checked out as text: it holds only the path \(line); give "
      + "\(target), or check out again after: git config core.symlinks "
      + "true"
  }

  /// Whether bytes are binary data that was decoded as UTF-8, with U+FFFD for invalid bytes.
  private static func isMangled(_ start: [UInt8]) -> Bool {
    // The last character may be cut off.
    let text = String(decoding: start.prefix(4092), as: UTF8.self).unicodeScalars
    let isBinary = text.contains { $0.value < 9 }
    let nonASCIICount = text.count { $0.value >= 0x80 }
    let replacementCount = start.indices.dropLast(2).count {
      start[$0...].starts(with: [0xEF, 0xBF, 0xBD])
    }
    return isBinary && replacementCount >= 4 && replacementCount * 2 >= nonASCIICount
  }
}
