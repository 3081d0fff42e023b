import Bytes

extension ForeignFile {
  /// Models and weights of other frameworks.
  package static let frameworks: [ForeignFile] =
    [
      ForeignFile { torch($0.members) },
      ForeignFile { pickle($0) },
      ForeignFile(
        "GGUF",
        "is a language model for llama.cpp (GGUF), which cannot be read; convert the "
          + "safetensors that it was made from"),
      ForeignFile("7767517", "is a network of ncnn (.param); \(originalAdvice)"),
      ForeignFile { sample in
        sample.text.hasPrefix("<?xml") && sample.text.contains("<net ")
          ? "is a network of OpenVINO (.xml); \(originalAdvice)" : nil
      },
      ForeignFile(
        [0x93] + Array("NUMPY".utf8),
        "is one array of NumPy (.npy), not a model; weights are read from an .npz archive, in which "
          + "each array has a name"),
    ] + tensorFlow

  package static let tensorFlowAdvice =
    "load it in TensorFlow and save the Keras model with model.save(\"model.h5\")"
  package static let originalAdvice = "convert the model that it was made from"
  package static let torchAdvice =
    "export the model in PyTorch with torch.onnx.export, or save its weights with "
    + "safetensors.torch.save_file"

  /// Programs of PyTorch; archives of `torch.save` have weights only, which can be read.
  private static func torch(_ members: [String]) -> String? {
    if members.contains(where: {
      $0.hasSuffix("/archive_format") || $0.hasSuffix("/models/model.json")
    }) {
      return "is a program of torch.export (.pt2), which cannot be read; export it as ONNX in "
        + "PyTorch: torch.onnx.export(torch.export.load(FILE), f=\"model.onnx\")"
    }
    let isScript = members.contains {
      $0.hasSuffix("/constants.pkl") || $0.hasSuffix("/tensors/0")
    }
    guard isScript else { return nil }
    return "is a TorchScript archive (torch.jit.save), which cannot be read; export it as ONNX in "
      + "PyTorch: torch.onnx.export(torch.jit.load(FILE), (inputs,), \"model.onnx\")"
  }

  /// Recognizes pickles of protocols 0 to 5, and the framework that wrote them if it is known.
  private static func pickle(_ sample: FileSample) -> String? {
    // What torch.save wrote before 1.6 begins with a pickle too; its weights can be read.
    if sample.begins([0x80, 0x02, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46, 0xF9]) { return nil }
    let isBinary =
      sample.start.count >= 2 && sample.start[0] == 0x80
      && (2...5).contains(sample.start[1]) && sample.end.last == UInt8(ascii: ".")
    let isText =
      ["(dp", "(lp", "ccopy_reg\n", "ccopyreg\n", "c__builtin__\n", "csklearn.", "cnumpy."]
      .contains { sample.begins($0) } && sample.end.last == UInt8(ascii: ".")
    // joblib.dump appends the arrays, so the file does not end like a pickle.
    let isJoblib = sample.start.first == 0x80 && sample.contains("joblib.numpy_pickle")
    guard isBinary || isText || isJoblib else { return nil }
    let advice = "pickles can run code and are not read"
    if sample.contains("sklearn") {
      return "is a scikit-learn model in a \(isJoblib ? "joblib" : "pickle") file; \(advice), nor "
        + "can models of scikit-learn be converted"
    }
    for (name, framework) in [("torch", "PyTorch"), ("keras", "Keras"), ("xgboost", "XGBoost")]
    where sample.contains(name) {
      return "is a pickle of Python with objects of \(framework); \(advice), so save the model as "
        + "\(framework) does: \(framework == "PyTorch" ? torchAdvice : "model.save(...)")"
    }
    return
      "is a \(isJoblib ? "joblib" : "pickle") file of Python; \(advice); load it in Python and "
      + "save arrays with numpy.savez, or the model as its framework does"
  }
}
