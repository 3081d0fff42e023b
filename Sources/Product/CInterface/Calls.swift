import Bytes
import CWeighbridge
import Weighbridge

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The first process that used the library.
private let firstProcess = getpid()

/// Runs the body of a C function and reports its errors.
func perform(
  _ error: UnsafeMutablePointer<weighbridge_error>?, _ body: () throws -> Void
) -> weighbridge_status {
  guard isKnown(error) else { return weighbridge_status(WEIGHBRIDGE_INVALID_ARGUMENT) }
  clear(error)
  let failure: Failure
  do {
    // This precedes any lock, which another thread of the parent process may have held.
    guard firstProcess == getpid() else { throw Failure.forked }
    try body()
    return weighbridge_status(WEIGHBRIDGE_OK)
  } catch let error as Failure {
    failure = error
  } catch let error as WeighbridgeError {
    failure = Failure(error)
  } catch {
    failure = .invalidArgument("\(error)")
  }
  if let error { failure.fill(&error.pointee) }
  return failure.status
}

/// Returns a pointer, which must not be `NULL`.
func required<Pointer>(_ pointer: Pointer?, _ name: String) throws(Failure) -> Pointer {
  guard let pointer else { throw .invalidArgument("\(name) is NULL") }
  return pointer
}

/// Copies a string for the caller, who frees it.
func copy(_ string: String) throws(Failure) -> UnsafeMutablePointer<CChar> {
  guard let copy = strdup(string) else { throw .outOfMemory }
  return copy
}

// MARK: - Errors

/// Whether the caller's struct has the size of this version's.
private func isKnown(_ error: UnsafeMutablePointer<weighbridge_error>?) -> Bool {
  error.map { $0.pointee.struct_size == MemoryLayout<weighbridge_error>.size } ?? true
}

private func clear(_ error: UnsafeMutablePointer<weighbridge_error>?) {
  guard let error, error.pointee.storage != nil || error.pointee.status != 0 else { return }
  free(error.pointee.storage)
  error.pointee = weighbridge_error()
  error.pointee.struct_size = MemoryLayout<weighbridge_error>.size
}

extension Failure {
  /// Fills in the caller's struct, whose strings share one allocation.
  fileprivate func fill(_ error: inout weighbridge_error) {
    let reason = reason.replacingAPINames(\.optionName)
    let place = place.description
    var path: String?
    error.byte = -1
    switch self.place.position {
    case .line(let line): error.line = Int64(line)
    case .byte(let byte): error.byte = Int64(byte)
    case .path(let known): path = known
    case nil: break
    }
    error.status = status
    let strings = [
      place.isEmpty ? reason : "\(place): \(reason)", reason, self.place.file, path,
      self.place.layer,
    ]
    let size = strings.reduce(0) { $0 + ($1.map { $0.utf8.count + 1 } ?? 0) }
    guard var end = malloc(size)?.bindMemory(to: CChar.self, capacity: size) else { return }
    error.storage = UnsafeMutableRawPointer(end)
    let pointers = strings.map { string -> UnsafePointer<CChar>? in
      guard let string else { return nil }
      defer { end += string.utf8.count + 1 }
      // The allocation has the size of all strings, each with its NUL.
      return UnsafePointer(strcpy(end, string))
    }
    (error.message, error.reason) = (pointers[0], pointers[1])
    (error.file, error.path, error.layer) = (pointers[2], pointers[3], pointers[4])
  }
}

/// `weighbridge_error_clear`
@_cdecl("weighbridge_error_clear")
public func clearError(_ error: UnsafeMutableRawPointer?) {
  let error = error?.assumingMemoryBound(to: weighbridge_error.self)
  guard isKnown(error) else { return }
  clear(error)
}

/// `weighbridge_free`
@_cdecl("weighbridge_free")
public func freeString(_ string: UnsafeMutableRawPointer?) { free(string) }

/// The version as a C string, allocated once and never freed.
private nonisolated(unsafe) let version = UnsafePointer(strdup(weighbridgeVersion))

/// `weighbridge_version`
@_cdecl("weighbridge_version")
public func versionString() -> UnsafePointer<CChar>? { version }
