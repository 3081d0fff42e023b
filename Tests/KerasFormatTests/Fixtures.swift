#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The reference files that the real frameworks made, when they are there.
enum Fixtures {
  /// Why a test that needs them does not run.
  static let absence = "needs the reference files (WEIGHBRIDGE_FIXTURES or ../shared/fixtures)"

  /// The folder, without a slash at its end; `nil` when it is not there.
  static let folder: String? = {
    let given = getenv("WEIGHBRIDGE_FIXTURES").map { String(cString: $0) }
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let folder = given ?? "/\(root)/shared/fixtures"
    return access(folder, R_OK) == 0 ? folder : nil
  }()

  /// The paths of all files below `keras/<folder>` whose name satisfies `isWanted`, sorted.
  static func files(in part: String, where isWanted: (String) -> Bool) -> [String] {
    guard let folder else { return [] }
    var found: [String] = []
    var waiting = ["\(folder)/keras/\(part)"]
    while let path = waiting.popLast() {
      guard let directory = opendir(path) else { continue }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard !name.hasPrefix(".") else { continue }
        if entry.pointee.d_type == UInt8(DT_DIR) { waiting.append("\(path)/\(name)") }
        if isWanted(name) { found.append("\(path)/\(name)") }
      }
    }
    return found.sorted()
  }
}
