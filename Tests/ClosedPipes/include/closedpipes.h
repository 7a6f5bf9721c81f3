// There is no function to call: the constructor in closedpipes.c does the work.
#pragma once
