import Bytes
import FormatRegistry
import JSON
import Weighbridge

/// The files that users write for a model.
extension FuzzTarget {
  static let metadata = FuzzTarget("metadata", [], made: [Array(metadataSample.utf8)]) { bytes in
    _ = try DescriptionEdit(metadata: try JSONValue(parsing: bytes))
  }

  /// Definitions of layers other than Keras' own, with a sample that has such layers.
  static let customLayers = FuzzTarget(
    "custom-layers", [], made: [Array(customLayersSample.utf8)]
  ) { bytes in
    try ScratchFile.with(bytes, ending: ".json") { path in
      var options = ReadOptions()
      options.customLayers = path
      _ = try ModelReader.read("Samples/Custom/Lambda/2.15.0/chain.h5", options: options)
    }
  }

  private static let metadataSample = """
    {"name": "shapes", "author": "A", "license": "BSD", "licenseNote": "which one is not known",
     "version": "1.0", "description": "Finds shapes",
     "inputs": [{"name": "image", "source": "input_1", "description": "a picture",
       "image": {"color": "rgb", "scale": 0.0039, "bias": [0, 0, 0], "resize": "stretch",
         "layout": "channels_last"}}],
     "outputs": [{"name": "grid", "source": "conv2d_7", "description": "cells"}],
     "labels": ["ellipse", "rectangle", "triangle"],
     "detector": {"kind": "region", "anchors": [2.85, 2.46, 2.96, 4.61, 4.96, 4.19],
       "heads": [{"output": "grid", "mask": [0, 1, 2], "stride": 8, "scaleXY": 1,
         "boxPoint": "center"}],
       "boxEncoding": "exponential", "objectness": true, "background": false, "classes": 3,
       "classTree": {"parents": [null, 0, 1], "threshold": 0.5, "choice": "last"},
       "activated": [], "order": "channels_last", "confidenceThreshold": 0.3,
       "overlapThreshold": 0.45, "suppression": "distance", "distanceExponent": 0.6},
     "userDefined": {"training": "Keras 2.1.5"}}
    """

  private static let customLayersSample = """
    {"layers": {
       "lambda_1": {"kind": "slice",
         "attributes": {"axes": [1], "starts": [1], "ends": [3], "steps": [1]}},
       "lambda_2": [{"kind": "reverse", "attributes": {"axes": [2]}},
         {"kind": "slice", "attributes": {"axes": [3], "starts": [0], "ends": [1], "steps": [1]}},
         {"kind": "squeeze", "attributes": {"axes": [3]}}],
       "lambda_3": {"steps": [
           {"name": "part", "kind": "slice", "attributes":
             {"axes": [1], "starts": [-1], "ends": [9223372036854775807], "steps": [1]}},
           {"name": "row", "kind": "squeeze", "attributes": {"axes": [1]}, "inputs": ["part"]}],
         "outputs": ["row"]},
       "lambda_4": {"class_name": "Rescaling", "config": {"scale": 0.0039, "offset": 0.0}},
       "lambda_5": {"class_name": "Add", "inputs": ["input", [[1, 2, 3]]]},
       "lambda_6": {"kind": "expand_dims", "attributes": {"axes": [1]}},
       "lambda_7": {"keep": true, "output_shapes": [[null, 6, 3]]},
       "lambda_8": {"kind": "argmax",
         "attributes": {"axis": 3, "keepdims": false, "element_type": "int64"}},
       "lambda_9": {"kind": "reverse", "attributes": {"axes": [1, 2]}},
       "lambda_*": {"class_name": "UnitNormalization", "config": {"axis": [3]}}},
     "functions": {"hard_mish": [{"kind": "relu",
       "attributes": {"negative_slope": 0, "threshold": 0}}]},
     "classes": {"Scaled*": {"class_name": "ReLU", "config": {"max_value": "$settings.limit"},
       "ignore": ["gamma*"]}}}
    """
}
