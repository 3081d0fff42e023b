public import CWeighbridge
import Weighbridge

/// `weighbridge_session_open`
@_cdecl("weighbridge_session_open")
public func openSession(
  _ model: weighbridge_model, _ options: UnsafePointer<weighbridge_run_options>?,
  _ session: UnsafeMutablePointer<weighbridge_session>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(session, "session")
    let open = try OpenModel.of(model)
    var interruption = Interruption()
    let options = try RunOptions(options, &interruption)
    let session = OpenSession(try open.model.session(options), of: open, interruption)
    result.pointee = HandleTable.shared.add(session)
  }
}

/// `weighbridge_session_close`
@_cdecl("weighbridge_session_close")
public func closeSession(
  _ session: weighbridge_session, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    try HandleTable.shared.remove(session, OpenSession.self) { (open) throws(Failure) in
      try open.access.close()
    }
  }
}

/// `weighbridge_session_outputs`
@_cdecl("weighbridge_session_outputs")
public func describeOutputs(
  _ session: weighbridge_session, _ inputs: UnsafePointer<weighbridge_array>?, _ inputCount: Int,
  _ outputs: UnsafeMutablePointer<weighbridge_array>?, _ outputCount: Int,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  withArrays(session, inputs, inputCount, outputs, outputCount, error) {
    try $0.describeOutputs($1, $2)
  }
}

/// `weighbridge_session_run`
@_cdecl("weighbridge_session_run")
public func runSession(
  _ session: weighbridge_session, _ inputs: UnsafePointer<weighbridge_array>?, _ inputCount: Int,
  _ outputs: UnsafeMutablePointer<weighbridge_array>?, _ outputCount: Int,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  withArrays(session, inputs, inputCount, outputs, outputCount, error) { try $0.run($1, $2) }
}

/// Runs the body with a session and the caller's arrays, while no other thread uses the session.
private func withArrays(
  _ session: weighbridge_session, _ inputs: UnsafePointer<weighbridge_array>?, _ inputCount: Int,
  _ outputs: UnsafeMutablePointer<weighbridge_array>?, _ outputCount: Int,
  _ error: UnsafeMutablePointer<weighbridge_error>?,
  _ body: (OpenSession, CallerArrays, CallerArrays) throws -> Void
) -> weighbridge_status {
  perform(error) {
    let open = try HandleTable.shared.object(session, OpenSession.self)
    try open.access.perform {
      let inputs = try CallerArrays(inputs, inputCount, "inputs", for: open.model.inputs)
      let outputs = try CallerArrays(outputs, outputCount, "outputs", for: open.model.outputs)
      try body(open, inputs, outputs)
    }
  }
}

/// `weighbridge_session_profile`
@_cdecl("weighbridge_session_profile")
public func profileSession(
  _ session: weighbridge_session, _ inputs: UnsafePointer<weighbridge_array>?, _ inputCount: Int,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let open = try HandleTable.shared.object(session, OpenSession.self)
    try open.access.perform {
      let inputs = try CallerArrays(inputs, inputCount, "inputs", for: open.model.inputs)
      result.pointee = try copy(try open.profile(inputs).json)
    }
  }
}

/// `weighbridge_session_cancel`
@_cdecl("weighbridge_session_cancel")
public func cancelSession(
  _ session: weighbridge_session, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    try HandleTable.shared.object(session, OpenSession.self).interruption.request()
  }
}
