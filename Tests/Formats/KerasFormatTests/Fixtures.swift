#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The reference files that the frameworks themselves wrote, if they are present.
enum Fixtures {
  /// Why a test that needs them does not run.
  static let skipReason = "needs the reference files (WEIGHBRIDGE_FIXTURES or ../shared/fixtures)"

  /// The folder, without a trailing slash; `nil` if it does not exist.
  static let folder: String? = {
    let given = getenv("WEIGHBRIDGE_FIXTURES").map { String(cString: $0) }
    let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    let folder = given ?? "/\(root)/shared/fixtures"
    return access(folder, R_OK) == 0 ? folder : nil
  }()

  /// The paths of all files below `keras/<folder>` whose name satisfies `isIncluded`, sorted.
  static func files(in subfolder: String, where isIncluded: (String) -> Bool) -> [String] {
    guard let folder else { return [] }
    var found: [String] = []
    var pending = ["\(folder)/keras/\(subfolder)"]
    while let path = pending.popLast() {
      guard let directory = opendir(path) else { continue }
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard !name.hasPrefix(".") else { continue }
        if entry.pointee.d_type == UInt8(DT_DIR) { pending.append("\(path)/\(name)") }
        if isIncluded(name) { found.append("\(path)/\(name)") }
      }
    }
    return found.sorted()
  }
}
